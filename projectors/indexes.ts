import { type Db, type IndexDescription, MongoServerError } from 'mongodb';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../schemas/read-models/collections.ts';

/** Readers take a render's progress as unknown after this long without a beat. */
const LIVE_PROGRESS_EXPIRES_S = 60;

/** Every collection the projectors write, with its indexes. */
const indexes = (renders: number, catalogue: number): ReadonlyMap<string, readonly IndexDescription[]> => {
  const render = renderCollections(renders);
  const names = catalogueCollections(catalogue);
  const { entities } = names;
  return new Map<string, readonly IndexDescription[]>([
    [
      render.renders,
      [
        { key: { by_project: 1 } },
        { key: { by_project_status: 1 } },
        { key: { open: 1 }, partialFilterExpression: { open: true } },
      ],
    ],
    [render.checkpoints, []],
    [render.caught_up, []],
    [names.checkpoints, []],
    [names.ignored, []],
    [entities.account, []],
    [entities.credit_grant, []],
    [entities.team, [{ key: { account_id: 1 } }]],
    [entities.user, []],
    [entities.membership, [{ key: { team_id: 1 } }, { key: { user_id: 1 } }]],
    [entities.api_key, [{ key: { secret_sha256: 1 } }]],
    [entities.project, [{ key: { by_team: 1 } }]],
    [entities.project_version, []],
    [COLLECTIONS.quarantine, []],
    [COLLECTIONS.live_progress, [{ key: { at: 1 }, expireAfterSeconds: LIVE_PROGRESS_EXPIRES_S }]],
  ]);
};

const NAMESPACE_EXISTS = 48;

const createCollection = async (db: Db, name: string): Promise<void> => {
  try {
    await db.createCollection(name);
  } catch (error) {
    // Another projector was faster.
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
};

/** Idempotent. Collections are made before any transaction writes to them. */
export const createIndexes = async (db: Db, renders: number, catalogue: number): Promise<void> => {
  const existing = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  for (const [name, wanted] of indexes(renders, catalogue)) {
    if (!existing.has(name)) await createCollection(db, name);
    if (wanted.length > 0) await db.collection(name).createIndexes([...wanted]);
  }
};
