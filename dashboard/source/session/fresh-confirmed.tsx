import { type Asked, Confirmation } from '../shown/confirmed.tsx';
import { FreshAction } from './fresh.tsx';

/** @param props.name of the dialog in the address, unique on the page */
export const FreshConfirmed = ({
  name,
  size = 'sm',
  why = 'To make this change, you need a recent sign-in.',
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
