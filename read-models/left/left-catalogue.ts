import type { Db } from 'mongodb';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { catalogueCollectionsIn } from '../catalogue/model.ts';
import type { InactiveGenerations } from './left-generations.ts';

export type ErasableKind = 'account' | 'user' | 'project';

/**
 * Removes the texts of erased entities from generations that no process folds. May be repeated. Rejects on store
 * outage.
 *
 * @returns how many documents still had texts
 */
export type ClearInactiveCatalogue = (kind: ErasableKind, ids: readonly string[]) => Promise<number>;

const MAX_AT_ONCE = 1_000;

type Model = ReturnType<typeof catalogueCollectionsIn>;

const clearProjects = async ({ entities }: Model, ids: readonly string[]): Promise<number> => {
  const projects = entities('project');
  const found = await projects
    .find({ _id: { $in: [...ids] } }, { projection: { name: 1, created_with: 1, version: 1 }, ...queryTimeout() })
    .toArray();
  const hasName = ({ name, created_with }: (typeof found)[number]) =>
    (name ?? null) !== null || created_with !== undefined;
  // A project whose newest document is pending has no name, but may have older documents.
  const newest = found.filter(({ version }) => version > 0).map(({ _id, version }) => projectVersionId(_id, version));
  const there = await entities('project_version')
    .find({ _id: { $in: newest } }, { projection: { _id: 1 }, ...queryTimeout() })
    .toArray();
  const kept = new Set(there.map(({ _id }) => _id));
  const left = found.filter((one) => hasName(one) || kept.has(projectVersionId(one._id, one.version)));
  if (left.length === 0) return 0;
  const older = left.flatMap(({ _id, version }) =>
    Array.from({ length: Math.max(0, version - 1) }, (_, n) => projectVersionId(_id, n + 1)),
  );
  for (let from = 0; from < older.length; from += MAX_AT_ONCE)
    await entities('project_version').deleteMany({ _id: { $in: older.slice(from, from + MAX_AT_ONCE) } });
  await entities('project_thumbnail').deleteMany({ _id: { $in: left.map(({ _id }) => _id) } });
  // Deleted last: after a crash, these documents make the next pass check the project again.
  await entities('project_version').deleteMany({ _id: { $in: newest } });
  await projects.bulkWrite(
    left.map(({ _id }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { name: null, search: [] },
          $unset: { created_with: 1, by_team: 1, by_team_skip: 1, position: 1 },
        },
      },
    })),
  );
  return left.length;
};

const clearUsers = async ({ entities }: Model, ids: readonly string[]): Promise<number> => {
  const users = entities('user');
  const found = await users.find({ _id: { $in: [...ids] } }, { projection: { email: 1 }, ...queryTimeout() }).toArray();
  const named = found.filter(({ email }) => (email ?? null) !== null);
  if (named.length > 0)
    await users.bulkWrite(
      named.map(({ _id }) => ({ updateOne: { filter: { _id }, update: { $set: { email: null } } } })),
    );
  return named.length;
};

const clearAccounts = async ({ entities }: Model, ids: readonly string[]): Promise<number> => {
  const accounts = entities('account');
  const found = await accounts
    .find({ _id: { $in: [...ids] } }, { projection: { name: 1 }, ...queryTimeout() })
    .toArray();
  const named = found.filter(({ name }) => name !== '');
  if (named.length > 0)
    await accounts.bulkWrite(
      named.map(({ _id }) => ({ updateOne: { filter: { _id }, update: { $set: { name: '' } } } })),
    );
  return named.length;
};

const CLEAR = { project: clearProjects, user: clearUsers, account: clearAccounts } as const;

export const openInactiveCatalogueCleaner =
  (db: Db, left: InactiveGenerations): ClearInactiveCatalogue =>
  async (kind, ids) => {
    let cleared = 0;
    for (const generation of await left()) cleared += await CLEAR[kind](catalogueCollectionsIn(db, generation), ids);
    return cleared;
  };
