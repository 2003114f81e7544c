import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';

/** Documents that are kept outside the log: one component stores them, others read them. */

/** The values for a template's fields, as given: `renders/<render_id>/request-<ulid>.json`. */
export const RequestPayload = t.strict({
  template_id: nullable(t.string),
  values: t.record(t.string, t.string),
});
export type RequestPayload = t.TypeOf<typeof RequestPayload>;

/** A user's address: `users/<user_id>/email-<ulid>.json`. */
export const EmailPayload = t.strict({ email: t.string });
