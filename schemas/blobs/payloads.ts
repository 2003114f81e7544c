import * as t from 'io-ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { nullable } from '../../domain/event/nullable.ts';

/** Documents that are kept outside the log: one component stores them, others read them. */

/**
 * The values for a template's fields, as given, since fold version 3 what the render is called, and of a draft that it is one:
 * `renders/<render_id>/request-<ulid>.json`. The name has a salt of its own, so that a copy of it is checked without the rest.
 */
export const RequestPayload = t.intersection([
  t.strict({ template_id: nullable(t.string), values: t.record(t.string, t.string) }),
  t.partial({ name: t.string, name_salt: t.string, draft: t.boolean }),
]);
export type RequestPayload = t.TypeOf<typeof RequestPayload>;

/** A user's address: `users/<user_id>/email-<ulid>.json`. */
export const EmailPayload = t.strict({ email: t.string });

/** The name that a project was created with: `projects/<project_id>/name-<ulid>.json`. */
export const ProjectNamePayload = t.strict({ name: t.string });

/** Always the same bytes, so that a name that is kept elsewhere shows by its hash that it is the payload's. */
export const projectNameBytes = (name: string): Buffer => Buffer.from(canonicalJson({ name }), 'utf8');

/**
 * The document of a version, as canonical JSON: `projects/<project_id>/documents/<version>-<ulid>.json`. What is in it is
 * decoded where it is used; its name is the project's.
 */
export const ProjectDocumentPayload = t.type({ name: t.string });
