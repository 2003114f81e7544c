import * as t from 'io-ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { nullable } from '../../domain/event/nullable.ts';

/** Documents outside the log: one component writes each, others read it. */

/**
 * `renders/<render_id>/request-<ulid>.json`. `name` exists since fold version 3. Its own salt lets copies of the name
 * be checked without the other values.
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

/** Canonical bytes, so that the hash of a copied name equals the payload's. */
export const projectNameBytes = (name: string): Buffer => Buffer.from(canonicalJson({ name }), 'utf8');

/** Canonical JSON at `projects/<project_id>/documents/<version>-<ulid>.json`. Readers decode the other members. */
export const ProjectDocumentPayload = t.type({ name: t.string });
