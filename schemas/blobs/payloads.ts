import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';

/** Documents that are kept outside the log: one component stores them, others read them. */

/**
 * The values for a template's fields, as given, and since fold version 3 what the render is called:
 * `renders/<render_id>/request-<ulid>.json`. The name has a salt of its own, so that a copy of it is checked without the rest.
 */
export const RequestPayload = t.intersection([
  t.strict({ template_id: nullable(t.string), values: t.record(t.string, t.string) }),
  t.partial({ name: t.string, name_salt: t.string }),
]);
export type RequestPayload = t.TypeOf<typeof RequestPayload>;

/** A user's address: `users/<user_id>/email-<ulid>.json`. */
export const EmailPayload = t.strict({ email: t.string });
