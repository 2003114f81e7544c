import type { Membership, ShownProject, Team, User } from '../../domain/catalogue/entities.ts';
import type { Role } from '../../domain/catalogue/events.ts';
import type { Template, TemplateField } from '../../domain/composition/templates.ts';

/** Resources of the interface specification that are only read here. Times in ms since the epoch. */

export type ProjectResource = {
  readonly id: string;
  readonly name: string;
  readonly team: { readonly id: string; readonly name: string };
  readonly created_by: string | null;
  readonly thumbnail_url: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
};

/** @param thumbnail_url a signed URL; null until a still has been rendered */
export const projectResource = (project: ShownProject, team: Team, thumbnail_url: string | null): ProjectResource => {
  const { id, name, created_by, created_at, updated_at } = project;
  return { id, name, team: { id: team.id, name: team.name }, created_by, thumbnail_url, created_at, updated_at };
};

export type TemplateSummaryResource = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly project_id: string;
  readonly target_composition_id: string;
  readonly field_count: number;
};

export const templateSummaryResource = (project_id: string, template: Template): TemplateSummaryResource => {
  const { id, name, description, target_composition_id, fields } = template;
  return { id, name, description, project_id, target_composition_id, field_count: fields.length };
};

type TemplateFieldResource = Omit<TemplateField, 'target'>;

export type TemplateResource = TemplateSummaryResource & { readonly fields: readonly TemplateFieldResource[] };

/** The bindings of a field are not part of the interface. */
export const templateResource = (project_id: string, template: Template): TemplateResource => ({
  ...templateSummaryResource(project_id, template),
  fields: template.fields.map(({ key, label, description, kind, widget, default_value }) => {
    return { key, label, description, kind, widget, default_value };
  }),
});

export type TeamResource = {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly role: Role | null;
  readonly created_at: number;
};

/** @param team with the role of the caller, null for a caller who is no user */
export const teamResource = (team: Team & { readonly role: Role | null }): TeamResource => {
  const { id, name, account_id, role, created_at } = team;
  return { id, name, account_id, role, created_at };
};

export type UserResource = { readonly id: string; readonly email: string | null; readonly created_at: number };

/** @param email from the user's payload; null when there is none */
export const userResource = ({ id, created_at }: User, email: string | null): UserResource => ({
  id,
  email,
  created_at,
});

export type MemberResource = UserResource & { readonly role: Role; readonly joined_at: number };

export const memberResource = (user: User, email: string | null, membership: Membership): MemberResource => ({
  ...userResource(user, email),
  role: membership.role,
  joined_at: membership.joined_at,
});
