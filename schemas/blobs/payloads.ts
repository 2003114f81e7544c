import * as t from 'io-ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { nullable } from '../../domain/event/nullable.ts';

/** Documents outside the log: one component writes each, others read it. */

/**
 * The content of `renders/<render_id>/request-<ulid>.json`. `name` exists since fold version 3. It has its own salt, so
 * that a copy of the name can be checked against its hash without the other values.
 */
export const RequestPayload = t.intersection([
  t.strict({ template_id: nullable(t.string), values: t.record(t.string, t.string) }),
  t.partial({ name: t.string, name_salt: t.string, draft: t.boolean }),
]);
export type RequestPayload = t.TypeOf<typeof RequestPayload>;

/** `users/<user_id>/email-<ulid>.json` */
export const EmailPayload = t.strict({ email: t.string });

/** `projects/<project_id>/name-<ulid>.json` */
export const ProjectNamePayload = t.strict({ name: t.string });

/** The bytes of the payload in canonical form, so that a copy of the name has the same hash as the payload. */
export const projectNameBytes = (name: string): Buffer => Buffer.from(canonicalJson({ name }), 'utf8');

/** Canonical JSON at `projects/<project_id>/documents/<version>-<ulid>.json`. Readers decode the other members. */
export const ProjectDocumentPayload = t.type({ name: t.string });
