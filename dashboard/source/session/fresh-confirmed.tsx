import { type Asked, Confirmation } from '../shown/confirmed.tsx';
import { FreshAction } from './fresh.tsx';

/**
 * A button for a change that needs a recent sign-in and a confirmation.
 *
 * @param props.name of the dialog in the address, unique on the page
 */
export const FreshConfirmed = ({
  name,
  size = 'sm',
  why = 'This change needs a recent sign-in.',
  ...asked
}: Asked & {
  readonly name: string;
  readonly size?: 'xs' | 'sm';
  readonly why?: string;
}) => (
  <FreshAction name={name} label={asked.label} size={size} variant="default" danger={asked.danger !== false} why={why}>
    {(shown) => <Confirmation {...asked} {...shown} />}
  </FreshAction>
);
