import { ConfirmationDialog, type ConfirmedChange } from '../shown/confirmed.tsx';
import { FreshSignInAction } from './fresh.tsx';

/** @param props.name the dialog's name in the address, unique on the page */
export const FreshSignInConfirmButton = ({
  name,
  size = 'sm',
  why = 'Sign in again to make this change.',
  ...change
}: ConfirmedChange & {
  readonly name: string;
  readonly size?: 'xs' | 'sm';
  readonly why?: string;
}) => (
  <FreshSignInAction
    name={name}
    label={change.label}
    size={size}
    variant="default"
    danger={change.danger !== false}
    why={why}
  >
    {(shown) => <ConfirmationDialog {...change} {...shown} />}
  </FreshSignInAction>
);
