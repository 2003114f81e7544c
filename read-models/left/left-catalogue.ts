import type { Db } from 'mongodb';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { catalogueModel } from '../catalogue/model.ts';
import type { LeftGenerations } from './left-generations.ts';

export type ErasableKind = 'account' | 'user' | 'project';

/**
 * Takes the texts of these, which were erased, out of the generations of the catalogue that nobody folds. Rejects while the
 * store does not answer; may be repeated.
 *
 * @returns how many documents still had any
 */
export type LeftCatalogue = (kind: ErasableKind, ids: readonly string[]) => Promise<number>;

const MOST_AT_ONCE = 1_000;

type Model = ReturnType<typeof catalogueModel>;

const clearProjects = async ({ entities }: Model, ids: readonly string[]): Promise<number> => {
  const projects = entities('project');
  const found = await projects
    .find({ _id: { $in: [...ids] } }, { projection: { name: 1, created_with: 1, version: 1 }, ...queryTimeout() })
    .toArray();
  const named = found.filter(({ name, created_with }) => (name ?? null) !== null || created_with !== undefined);
  if (named.length === 0) return 0;
  const versions = named.flatMap(({ _id, version }) =>
    Array.from({ length: version }, (_, n) => projectVersionId(_id, n + 1)),
  );
  for (let from = 0; from < versions.length; from += MOST_AT_ONCE)
    await entities('project_version').deleteMany({ _id: { $in: versions.slice(from, from + MOST_AT_ONCE) } });
  await entities('project_thumbnail').deleteMany({ _id: { $in: named.map(({ _id }) => _id) } });
  // The name last: a process that ends before it looks at the project again.
  await projects.bulkWrite(
    named.map(({ _id }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { name: null, search: [] },
          $unset: { created_with: 1, by_team: 1, by_team_skip: 1, position: 1 },
        },
      },
    })),
  );
  return named.length;
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

export const openLeftCatalogue =
  (db: Db, left: LeftGenerations): LeftCatalogue =>
  async (kind, ids) => {
    let cleared = 0;
    for (const generation of await left()) cleared += await CLEAR[kind](catalogueModel(db, generation), ids);
    return cleared;
  };
