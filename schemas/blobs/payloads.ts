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

/** `users/<user_id>/email-<ulid>.json`. Payloads from before ADR 150 have no name. */
const ProfilePayload = t.exact(t.partial({ email: t.string, name: t.string }));

/** How people see a user. */
export type Profile = { readonly email: string | null; readonly name: string | null };

export const NO_PROFILE: Profile = { email: null, name: null };

export const profileOf = (payload: unknown): Profile =>
  ProfilePayload.is(payload) ? { email: payload.email ?? null, name: payload.name ?? null } : NO_PROFILE;

export const profileBytes = ({ email, name }: Profile): Buffer =>
  Buffer.from(JSON.stringify({ ...(email !== null && { email }), ...(name !== null && { name }) }), 'utf8');

/** `projects/<project_id>/name-<ulid>.json` */
export const ProjectNamePayload = t.strict({ name: t.string });

/** The bytes of the payload in canonical form, so that a copy of the name has the same hash as the payload. */
export const projectNameBytes = (name: string): Buffer => Buffer.from(canonicalJson({ name }), 'utf8');

/** Canonical JSON at `projects/<project_id>/documents/<version>-<ulid>.json`. Readers decode the other members. */
export const ProjectDocumentPayload = t.type({ name: t.string });
