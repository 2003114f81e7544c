import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueCommand } from '../domain/catalogue/commands.ts';
import { isErased } from '../domain/catalogue/entities.ts';
import { findLastManagerRoles, type ManagedEntities } from '../domain/catalogue/last-roles.ts';
import { emptyUsage, usageAt } from '../domain/catalogue/limits.ts';
import type { CatalogueView } from '../domain/catalogue/verdict.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type CatalogueWriter, changeCatalogue, viewAtLogEnd } from './change.ts';
import type { CatalogueFault } from './fault.ts';

/** `texts_in_log` is true if the project is so old that its texts are in the log; null if this is unknown. */
export type ProjectErasureResult = { readonly repeated: boolean; readonly texts_in_log: boolean | null };

/**
 * Returns when the project is hidden. The process `retention` erases its renders and files.
 *
 * @param team_id a project of another team is refused like a missing one; null for an operator, who can erase projects
 * of all teams
 */
export const eraseProject = async (
  catalogue: CatalogueWriter,
  project_id: string,
  team_id: string | null,
): Promise<E.Either<CatalogueFault, ProjectErasureResult>> => {
  if (team_id !== null) {
    const view = await viewAtLogEnd(catalogue, [{ kind: 'project', id: project_id }]);
    if (E.isLeft(view)) return view;
    const is_of_team = view.right('project', project_id)?.team_id === team_id;
    if (!is_of_team) return E.left({ tag: 'missing', kind: 'project', id: project_id });
  }
  return E.map(({ repeated, before }: { readonly repeated: boolean; readonly before: CatalogueView }) => {
    const project = before('project', project_id);
    const is_known = project !== null && project.name !== null;
    return { repeated, texts_in_log: is_known ? project.created_with === undefined : null };
  })(await changeCatalogue(catalogue, { type: 'EraseProject', project_id }));
};

/** The managers of all teams and accounts in which the user may be the last admin or owner. */
const sharedRoles = async (read_model: CatalogueReadModel, user_id: string): Promise<ManagedEntities> => {
  const admin_of = (await read_model.membershipsOf(user_id)).filter(({ role }) => role === 'admin');
  const owned = await read_model.ownershipsOf(user_id);
  const teams = await read_model.entities(
    'team',
    admin_of.map(({ team_id }) => team_id),
  );
  const ids = new Set([...owned, ...teams].map(({ account_id }) => account_id));
  const accounts = (await read_model.entities('account', [...ids])).filter((account) => !isErased(account));
  const here = async (people: readonly { readonly user_id: string }[]): Promise<readonly string[]> => {
    const users = await read_model.entities(
      'user',
      people.map((person) => person.user_id),
    );
    return users.filter((user) => !isErased(user)).map(({ id }) => id);
  };
  const adminsOf = async (id: string) => (await read_model.membersOf(id)).filter(({ role }) => role === 'admin');
  // One read at a time, because a user may be in hundreds of accounts and teams.
  const owned_by: ManagedEntities['accounts'][number][] = [];
  for (const { id } of accounts) owned_by.push({ id, owners: await here(await read_model.ownersOf(id)) });
  const managed_by: ManagedEntities['teams'][number][] = [];
  for (const { id, account_id } of teams) managed_by.push({ id, account_id, admins: await here(await adminsOf(id)) });
  return { teams: managed_by, accounts: owned_by };
};

export type ErasureResult = { readonly repeated: boolean };

/**
 * Returns as soon as the user has lost all access. `retention` removes the user's data later (ADR 82). Refused with
 * `still_last` if an account or a team would have no manager left.
 */
export const eraseUser = async (
  catalogue: CatalogueWriter,
  user_id: string,
): Promise<E.Either<CatalogueFault, ErasureResult>> => {
  const view = await viewAtLogEnd(catalogue, [{ kind: 'user', id: user_id }]);
  if (E.isLeft(view)) return view;
  if (!isErased(view.right('user', user_id))) {
    const { team_ids, account_ids } = findLastManagerRoles(user_id, await sharedRoles(catalogue.read_model, user_id));
    if (team_ids.length + account_ids.length > 0) return E.left({ tag: 'still_last', user_id, team_ids, account_ids });
  }
  return await changeCatalogue(catalogue, { type: 'EraseUser', user_id });
};

/** Returns as soon as the account accepts no more changes. `retention` removes its data later. */
export const eraseAccount = async (
  catalogue: CatalogueWriter,
  account_id: string,
): Promise<E.Either<CatalogueFault, ErasureResult>> =>
  await changeCatalogue(catalogue, { type: 'EraseAccount', account_id });

export const userCleanupCommands = async (
  read_model: CatalogueReadModel,
  user_id: string,
  now: number,
): Promise<readonly CatalogueCommand[]> => {
  const [memberships, ownerships, linked, keys] = await Promise.all([
    read_model.membershipsOf(user_id),
    read_model.ownershipsOf(user_id),
    read_model.find('user_identities', user_id),
    read_model.keysOfUser(user_id, now),
  ]);
  return [
    ...keys.map(({ id }) => ({ type: 'RevokeKey', key_id: id }) as const),
    ...(linked?.identity_ids ?? []).map((identity_id) => ({ type: 'UnlinkIdentity', identity_id, user_id }) as const),
    ...ownerships.map(({ account_id }) => ({ type: 'RemoveOwner', account_id, user_id }) as const),
    ...memberships.map(({ team_id }) => ({ type: 'RemoveMember', team_id, user_id }) as const),
  ];
};

export type RemainingEntityCounts = {
  readonly keys: number;
  readonly invitations: number;
  readonly people: number;
  readonly endpoints: number;
  readonly projects: number;
};

export const countRemainingEntities = async (
  read_model: Pick<CatalogueReadModel, 'find'>,
  account_id: string,
  now: number,
): Promise<RemainingEntityCounts> => {
  const usage = (await read_model.find('account_usage', account_id)) ?? emptyUsage(account_id);
  const { keys, members: people, endpoints, projects, inline_projects } = usageAt(usage, now);
  const rotated = usage.rotated_keys.filter((end) => end > now).length;
  const invitations = usage.invitations.filter(({ expires_at }) => expires_at > now).length;
  return { keys: keys + rotated, invitations, people, endpoints, projects: projects + inline_projects };
};

export const hasNoRemainingEntities = (left: RemainingEntityCounts): boolean =>
  Object.values(left).every((count) => count === 0);

const PROJECTS_AT_ONCE = 500;

/**
 * Commands that remove all entities of an account, in batches. The caller must carry out a batch before it requests the
 * next one.
 *
 * @param now ms since the epoch
 */
export async function* accountCleanupCommands(
  read_model: CatalogueReadModel,
  account_id: string,
  now: number,
): AsyncGenerator<readonly CatalogueCommand[]> {
  const teams = await read_model.teams(account_id);
  for (const { id } of teams)
    yield (await read_model.keysOfTeam(id, now)).map((key) => ({ type: 'RevokeKey', key_id: key.id }));
  yield (await read_model.openInvitations(account_id)).map(({ id }) => ({
    ...{ type: 'RevokeInvitation', invitation_id: id },
  }));
  for (const { id: team_id } of teams) {
    const endpoints = (await read_model.endpoints(team_id)).filter(({ deleted_at }) => deleted_at === null);
    yield endpoints.map(({ id }) => ({ type: 'DeleteEndpoint', endpoint_id: id }));
    yield (await read_model.membersOf(team_id)).map(({ user_id }) => ({ type: 'RemoveMember', team_id, user_id }));
  }
  yield (await read_model.ownersOf(account_id)).map(({ user_id }) => ({ type: 'RemoveOwner', account_id, user_id }));
  for (const { id: team_id } of teams)
    for (let before: string | undefined; ; ) {
      const ids = await read_model.unerasedProjectIds(team_id, PROJECTS_AT_ONCE);
      // If the next batch is the same, some projects could not be erased. Another pass retries them.
      if (ids.length === 0 || ids[0] === before) break;
      [before] = ids;
      yield ids.map((project_id) => ({ type: 'EraseProject', project_id }));
    }
}
