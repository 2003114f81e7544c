import type { PayloadRef } from '../event/payload.ts';
import type { UserEmailChanged, UserErased, UserRegistered } from './events.ts';
import { accepted, type CatalogueVerdict, type CatalogueView, ignored } from './verdict.ts';

const sameReference = (a: PayloadRef | null, b: PayloadRef | null): boolean =>
  a === null || b === null ? a === b : a.path === b.path && a.sha256 === b.sha256;

export const userRegistered = (view: CatalogueView, event: UserRegistered, at: number): CatalogueVerdict => {
  if (view('user', event.user_id) !== null) return ignored('already_exists');
  return accepted({ kind: 'user', id: event.user_id, email: event.email, created_at: at });
};

export const emailChanged = (view: CatalogueView, { user_id, email }: UserEmailChanged): CatalogueVerdict => {
  const user = view('user', user_id);
  if (user === null) return ignored('user_unknown');
  return sameReference(user.email, email) ? ignored('already_so') : accepted({ ...user, email });
};

/** Drops the reference to the e-mail address. Separate events remove memberships, keys and identities. */
export const userErased = (view: CatalogueView, { user_id, meta }: UserErased, at: number): CatalogueVerdict => {
  const user = view('user', user_id);
  if (user === null) return ignored('user_unknown');
  if (user.erased !== undefined) return ignored('already_erased');
  return accepted({ ...user, email: null, erased: { at, by: meta.actor, event_id: meta.event_id } });
};
