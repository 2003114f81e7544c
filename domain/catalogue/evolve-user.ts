import type { PayloadRef } from '../event/payload.ts';
import type { UserEmailChanged, UserErased, UserRegistered } from './events.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

const sameReference = (a: PayloadRef | null, b: PayloadRef | null): boolean =>
  a === null || b === null ? a === b : a.path === b.path && a.sha256 === b.sha256;

export const userRegistered = (view: CatalogueView, event: UserRegistered, at: number): CatalogueVerdict => {
  if (view('user', event.user_id) !== null) return ignoredVerdict('already_exists');
  return acceptedVerdict({ kind: 'user', id: event.user_id, email: event.email, created_at: at });
};

export const emailChanged = (view: CatalogueView, { user_id, email }: UserEmailChanged): CatalogueVerdict => {
  const user = view('user', user_id);
  if (user === null) return ignoredVerdict('user_unknown');
  return sameReference(user.email, email) ? ignoredVerdict('already_so') : acceptedVerdict({ ...user, email });
};

/** Drops the reference to the e-mail address. Separate events remove memberships, keys and identities. */
export const userErased = (view: CatalogueView, { user_id, meta }: UserErased, at: number): CatalogueVerdict => {
  const user = view('user', user_id);
  if (user === null) return ignoredVerdict('user_unknown');
  if (user.erased !== undefined) return ignoredVerdict('already_erased');
  return acceptedVerdict({ ...user, email: null, erased: { at, by: meta.actor, event_id: meta.event_id } });
};
