import type { Db } from 'mongodb';
import {
  type ApiKey,
  hasName,
  isErased,
  type Membership,
  membershipId,
  type NamedProject,
  type ProjectThumbnail,
  projectVersionId,
  type Team,
  type User,
} from '../../domain/catalogue/entities.ts';
import type { CreditLimit } from '../../domain/credits/balance.ts';
import { ProjectPending } from '../../platform/access/projects.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../../schemas/http/cursor.ts';
import { listReaderForServer } from '../embedded/lists-for-server.ts';
import { FIRST_MODEL_VERSION } from '../generations.ts';
import { type ListRequest, type PositionedElement, readByQuery, readList } from '../lists.ts';
import { listPosition } from '../position.ts';
import { entityOf, projectOf, teamProjects } from './codec.ts';
import type { ProjectDocumentRow } from './documents.ts';
import { servingCatalogue } from './model.ts';
import { pendingVersions, rejectPendingVersion } from './pending-versions.ts';

export type Member = { readonly user: User; readonly membership: Membership };

/** Every query rejects if the store does not answer. */
export type Catalogue = {
  /** @param secrets SHA-256 of the keys' texts */
  readonly keysBySecret: (secrets: readonly string[]) => Promise<readonly ApiKey[]>;
  readonly teams: (team_ids: readonly string[]) => Promise<readonly Team[]>;
  /** Memberships of a user in these teams, including removed ones. */
  readonly membershipsOf: (user_id: string, team_ids: readonly string[]) => Promise<readonly Membership[]>;
  /** Whether the account or the user was erased. */
  readonly isOfErased: (of: { readonly account_id: string; readonly user_id: string | null }) => Promise<boolean>;
  /** Current members of a team, in the order of joining. */
  readonly members: (team_id: string) => Promise<readonly Member[]>;
  /** Null if the user is unknown or erased. */
  readonly user: (user_id: string) => Promise<User | null>;
  /** Null if the project is unknown or not shown. Rejects with `ProjectPending` while its text is pending. */
  readonly project: (project_id: string) => Promise<NamedProject | null>;
  /** False while the search index of projects is built after an upgrade. */
  readonly areProjectsSearchable: () => Promise<boolean>;
  /** Up to `count` projects of a team after a position; null for the beginning. */
  readonly projectsPage: (
    wanted: ListRequest & { readonly team_id: string },
    from: ListPosition | null,
    count: number,
  ) => Promise<readonly PositionedElement<NamedProject>[]>;
  /** The JSON of one version of a project; null also if it was deleted. */
  readonly projectVersion: (project_id: string, version: number) => Promise<string | null>;
  readonly isErased: (project_id: string) => Promise<boolean>;
  /** Projects without a thumbnail are missing. */
  readonly thumbnails: (project_ids: readonly string[]) => Promise<readonly ProjectThumbnail[]>;
  /** The project version of the thumbnail; 0 without one. */
  readonly thumbnailVersion: (project_id: string) => Promise<number>;
  readonly creditLimit: (account_id: string) => Promise<CreditLimit | null>;
};

const among = (ids: readonly string[]) => ({ _id: { $in: [...ids] } });

/** In the order of joining. */
const currentMemberships = (memberships: readonly Membership[]): readonly Membership[] =>
  memberships
    .filter(({ removed }) => !removed)
    .toSorted((a, b) => a.joined_at - b.joined_at || (a.user_id < b.user_id ? -1 : 1));

const membersOf = (memberships: readonly Membership[], users: readonly User[]): readonly Member[] => {
  const byId = new Map(users.map((user) => [user.id, user]));
  return memberships.flatMap((membership) => {
    const user = byId.get(membership.user_id);
    return user === undefined || isErased(user) ? [] : [{ user, membership }];
  });
};

const placedProjects = (rows: readonly Omit<ProjectDocumentRow, 'search'>[]) =>
  rows
    .map((document) => projectOf({ ...document, search: [] }))
    .filter(hasName)
    .map((element) => ({ position: listPosition(element.created_at, element.id), element }));

export const openCatalogue = (db: Db): Catalogue => {
  const serving = servingCatalogue(db);
  const forServer = listReaderForServer(db, 'catalogue');
  return {
    keysBySecret: async (secrets) => {
      const keys = (await serving()).entities('api_key');
      return (await keys.find({ secret_sha256: { $in: [...secrets] } }, queryTimeout()).toArray()).map(entityOf);
    },

    teams: async (ids) => {
      const teams = (await serving()).entities('team');
      return (await teams.find(among(ids), queryTimeout()).toArray()).map(entityOf);
    },

    membershipsOf: async (user_id, team_ids) => {
      const memberships = (await serving()).entities('membership');
      const ids = team_ids.map((team_id) => membershipId(team_id, user_id));
      return (await memberships.find(among(ids), queryTimeout()).toArray()).map(entityOf);
    },

    isOfErased: async ({ account_id, user_id }) => {
      const { entities } = await serving();
      const [account, user] = await Promise.all([
        entities('account').findOne({ _id: account_id }, queryTimeout()),
        user_id === null ? null : entities('user').findOne({ _id: user_id }, queryTimeout()),
      ]);
      return isErased(account) || isErased(user);
    },

    members: async (team_id) => {
      const { entities } = await serving();
      const memberships = currentMemberships(
        (await entities('membership').find({ team_id }, queryTimeout()).toArray()).map(entityOf),
      );
      const ids = memberships.map(({ user_id }) => user_id);
      const users = (await entities('user').find(among(ids), queryTimeout()).toArray()).map(entityOf);
      return membersOf(memberships, users);
    },

    user: async (_id) => {
      const found = await (await serving()).entities('user').findOne({ _id }, queryTimeout());
      return found === null || isErased(found) ? null : entityOf(found);
    },

    project: async (_id) => {
      const model = await serving();
      const found = await model.entities('project').findOne({ _id }, queryTimeout());
      const project = found === null ? null : projectOf(found);
      if (project === null || hasName(project)) return project;
      if (!isErased(project) && (await pendingVersions(model, _id)).length > 0) throw new ProjectPending(project);
      return null;
    },

    areProjectsSearchable: async () => (await serving()).model_version > FIRST_MODEL_VERSION,

    projectsPage: async ({ team_id, order, search }, from, count) => {
      const model = await serving();
      const projects = model.entities('project');
      const plain = readByQuery<NamedProject>(async (pipeline, time) => {
        return placedProjects(await projects.aggregate<Omit<ProjectDocumentRow, 'search'>>(pipeline, time).toArray());
      });
      const readTier = await forServer(model, projects, plain);
      return await readList<NamedProject>(teamProjects(team_id), { order, search }, from, count, readTier);
    },

    projectVersion: async (project_id, version) => {
      const _id = projectVersionId(project_id, version);
      const model = await serving();
      const found = await model.entities('project_version').findOne({ _id }, queryTimeout());
      if (found !== null && found.document === null) await rejectPendingVersion(model, project_id, version);
      return found?.document ?? null;
    },

    isErased: async (_id) =>
      (await (await serving()).entities('project').findOne({ _id }, { projection: { erased: 1 }, ...queryTimeout() }))
        ?.erased !== undefined,

    thumbnails: async (ids) => {
      const thumbnails = (await serving()).entities('project_thumbnail');
      return (await thumbnails.find(among(ids), queryTimeout()).toArray()).map(entityOf);
    },

    thumbnailVersion: async (_id) => {
      const thumbnails = (await serving()).entities('project_thumbnail');
      return (await thumbnails.findOne({ _id }, { projection: { version: 1 }, ...queryTimeout() }))?.version ?? 0;
    },

    creditLimit: async (_id) =>
      await (await serving())
        .entities('account')
        .findOne({ _id }, { projection: { unlimited_credits: 1, granted_credits: 1 }, ...queryTimeout() }),
  };
};
