import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { servingRenders } from './model.ts';

export type RenderOwner = { readonly account_id: string; readonly project_id: string };

/** Includes erased renders. Renders that the read model does not have are missing. */
export type RenderOwners = (ids: readonly string[]) => Promise<ReadonlyMap<string, RenderOwner>>;

type Owned = { readonly _id: string; readonly render?: RenderOwner };

const OWNER = { projection: { 'render.account_id': 1, 'render.project_id': 1 } } as const;

export const renderOwners = (db: Db): RenderOwners => {
  const serving = servingRenders(db);
  return async (ids) => {
    if (ids.length === 0) return new Map();
    const { renders } = await serving();
    const found = await renders.find<Owned>({ _id: { $in: [...ids] } }, { ...OWNER, ...queryTimeout() }).toArray();
    return new Map(found.flatMap(({ _id, render }) => (render === undefined ? [] : [[_id, render] as const])));
  };
};
