import type { Collection, Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { SaltedName } from '../../schemas/blobs/salted-name.ts';
import { nameOf, type RenderDocument } from './documents.ts';
import { servingRenders } from './model.ts';
import { pendingIdsAmong, readNamed } from './pending-names.ts';

type Salted = Pick<RenderDocument, '_id' | 'name' | 'name_salt'>;
type Named = Pick<RenderDocument, '_id' | 'render' | 'name'>;

export const saltedNames = async (
  renders: Collection<RenderDocument>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SaltedName>> => {
  const found = await renders
    .find<Salted>({ _id: { $in: [...ids] } }, { projection: { name: 1, name_salt: 1 }, ...queryTimeout() })
    .toArray();
  return new Map(
    found.flatMap(({ _id, name, name_salt: salt }) =>
      typeof name === 'string' && typeof salt === 'string' ? [[_id, { name, salt }] as const] : [],
    ),
  );
};

export const servingNames = (db: Db): ((ids: readonly string[]) => Promise<ReadonlyMap<string, SaltedName>>) => {
  const serving = servingRenders(db);
  return async (ids) => await saltedNames((await serving()).renders, ids);
};

/** Null if the serving generation has no name of the render outside the log, or lacks the render. */
export const servingName = (db: Db): ((_id: string) => Promise<string | null>) => {
  const serving = servingRenders(db);
  return async (_id) => {
    const { renders } = await serving();
    const found = await renders.findOne<Salted>({ _id }, { projection: { name: 1 }, ...queryTimeout() });
    return found?.name ?? null;
  };
};

export type FoundNames = {
  /** Null if the render was erased. Renders that the read model does not have are missing. */
  readonly names: ReadonlyMap<string, string | null>;
  readonly pending: ReadonlySet<string>;
};

export type RenderNames = (ids: readonly string[]) => Promise<FoundNames>;

export const renderNames = (db: Db): RenderNames => {
  const serving = servingRenders(db);
  return async (ids) => {
    const { renders, pending } = await serving();
    const read = (some: readonly string[]): Promise<readonly Named[]> =>
      renders
        .find<Named>({ _id: { $in: [...some] } }, { projection: { name: 1, render: 1 }, ...queryTimeout() })
        .toArray();
    const named = await readNamed(ids, read, (some) => pendingIdsAmong(pending, some));
    const known = named.found.filter(({ _id, render }) => render !== null && !named.pending.has(_id));
    return { names: new Map(known.map((row) => [row._id, nameOf(row)])), pending: named.pending };
  };
};
