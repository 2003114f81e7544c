import { type ClientSession, type Db, type Document, type MongoClient, MongoError, MongoNetworkError } from 'mongodb';
import { retry } from '../../../platform/process/retry.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { type Operation, performAll } from './bulk-write.ts';
import { projected, sorted, updated } from './matching.ts';
import type { Versions } from './versions.ts';
import { deleteFirst, insert, type Snapshot, transient, updateFirst, type View, viewOf } from './view.ts';

/** The server of the store, which all processes share. */
export type StoreServer = {
  readonly versions: Versions;
  away: boolean;
  /** The time of its clock, ms since the epoch. */
  readonly now: () => number;
  /** The chance that the answer to a write is lost. */
  lost_answers: number;
  /** Counts restores and losses. They end all open transactions. */
  epoch: number;
  /** The time of the last restore or loss, ms. */
  restored_at: number;
  /** Until this time (ms) reads of the position of one partition get no answer. */
  slow_position: { readonly partition: number; readonly until: number } | null;
};

/** Collections of positions. The id of a document is the partition, or ends with it after a slash. */
const POSITIONS = /^(render_checkpoints_g\d+|consumer_positions|webhook_positions)$/;

/** The changed view of a faulty process. */
export type StoreDisorder = {
  /** The process does not see the credits that other processes may spend. */
  readonly credits_apart: boolean;
  /** Every partition is folded only up to the time of the one that is furthest behind. */
  readonly lag_of_all: boolean;
  /** The clock of the process replaces the clock of the store. */
  readonly own_time: boolean;
  /** The list of collections is empty. */
  readonly lists_nothing: boolean;
};

const NO_DISORDER: StoreDisorder = {
  ...{ credits_apart: false, lag_of_all: false, own_time: false, lists_nothing: false },
};
const WATERMARKS = /^render_caught_up_g\d+$/;

const earliestOf = (watermarks: readonly Document[]): readonly Document[] => {
  const at = Math.min(...watermarks.map((one) => one.at));
  return watermarks.map((one) => ({ ...one, at }));
};

type Options = {
  readonly session?: ClientSession;
  readonly projection?: Document;
  readonly upsert?: boolean;
  readonly returnDocument?: 'before' | 'after';
  readonly limit?: number;
};

/** The only pipeline that simulated components use: every document with the time of the store. */
const TIMED = JSON.stringify([{ $set: { now: { $toLong: '$$NOW' } } }]);

const MAX_TRIES = 8;

type Context = {
  readonly world: World;
  readonly server: StoreServer;
  readonly life: Life;
  readonly disorder: StoreDisorder;
  readonly transactions: WeakMap<object, Snapshot>;
};

const snapshotNow = ({ versions, epoch }: StoreServer): Snapshot => ({
  ...{ as_of: versions.now(), epoch, changes: new Map() },
});

const latency = ({ world: { random }, server }: Context): number =>
  server.away ? random.between(50, 5_000) : 0.3 + random.next() * (random.chance(0.04) ? 300 : 4);

const requireServer = ({ away }: StoreServer): void => {
  if (away) throw new MongoNetworkError('the store is away');
};

/** One operation, in its transaction or in one of its own. */
const operate = <A>(
  context: Context,
  options: Options | undefined,
  is_write: boolean,
  work: (view: View) => A,
  waits_ms = 0,
): Promise<A> => {
  const { world, server, life, transactions } = context;
  const { versions } = server;
  return life.ask(waits_ms + latency(context), () => {
    requireServer(server);
    const { session } = options ?? {};
    const transaction = session === undefined ? undefined : transactions.get(session);
    const snapshot = transaction ?? snapshotNow(server);
    const result = work(viewOf(versions, snapshot, () => server.epoch));
    if (transaction !== undefined) return result;
    if (snapshot.changes.size > 0) versions.commit(snapshot.changes);
    if (is_write && world.random.chance(server.lost_answers)) throw new MongoNetworkError('the answer is lost');
    return result;
  });
};

const commit = (context: Context, { as_of, epoch, changes }: Snapshot): Promise<void> => {
  const { world, server, life } = context;
  const { versions } = server;
  return life.ask(latency(context), () => {
    requireServer(server);
    for (const [collection, documents] of changes) {
      for (const id of documents.keys()) {
        if (versions.writtenAt(collection, id) > as_of) throw transient();
      }
    }
    if (epoch !== server.epoch) throw transient();
    if (changes.size > 0) versions.commit(changes);
    if (world.random.chance(server.lost_answers)) throw new MongoNetworkError('the answer to a commit is lost');
  });
};

const transactionsOf =
  (context: Context): ReadStore['transaction'] =>
  (work) => {
    const { world, server, life, transactions } = context;
    const once = async () => {
      const own = snapshotNow(server);
      const session = {} as ClientSession;
      transactions.set(session, own);
      const result = await work(session);
      await commit(context, own);
      return result;
    };
    return retry(once, {
      clock: life.clock,
      policy: (failures) => (failures === MAX_TRIES ? null : 5 * 2 ** failures * (0.5 + world.random.next())),
      isTransient: (error) => error instanceof MongoError && error.hasErrorLabel('TransientTransactionError'),
    });
  };

/** The additional wait of a read, if it reads the slow position. */
const positionWait = ({ world, server }: Context, name: string, { _id }: Document): number => {
  const { slow_position: slow } = server;
  if (slow === null || _id === undefined || !POSITIONS.test(name)) return 0;
  return String(_id).split('/').at(-1) === String(slow.partition) ? Math.max(0, slow.until - world.scheduler.now()) : 0;
};

const found = ({ disorder }: Context, view: View, name: string, filter: Document): readonly Document[] => {
  const stored = view.find(name, filter);
  return disorder.lag_of_all && WATERMARKS.test(name) ? earliestOf(stored) : stored;
};

const cursor = (context: Context, name: string, filter: Document, options: Options = {}) => {
  let [order, limit]: [Document | null, number] = [null, options.limit ?? Number.POSITIVE_INFINITY];
  const read = (view: View): readonly Document[] => {
    const documents = found(context, view, name, filter);
    const all = order === null ? documents : sorted(documents, order);
    return all.slice(0, limit).map((document) => projected(document, options.projection));
  };
  const toArray = (): Promise<readonly Document[]> =>
    operate(context, options, false, read, positionWait(context, name, filter));
  const self = {
    sort: (by: Document) => {
      order = by;
      return self;
    },
    limit: (count: number) => {
      limit = count;
      return self;
    },
    batchSize: () => self,
    toArray,
    async *[Symbol.asyncIterator]() {
      yield* await toArray();
    },
  };
  return self;
};

const readsOf = (context: Context, name: string) => ({
  find: (filter: Document, options?: Options) => cursor(context, name, filter, options),
  findOne: async (filter: Document, options?: Options) =>
    (await cursor(context, name, filter, { ...options, limit: 1 }).toArray())[0] ?? null,
  countDocuments: async (filter: Document, options?: Options) =>
    (await cursor(context, name, filter, options).toArray()).length,
  aggregate: (pipeline: readonly Document[], options?: Options) => {
    if (JSON.stringify(pipeline) !== TIMED)
      throw new Error(`the simulated store does not know ${JSON.stringify(pipeline)}`);
    const { disorder, life, server } = context;
    return {
      toArray: () =>
        operate(context, options, false, (view) =>
          found(context, view, name, {}).map((document) => ({
            ...document,
            now: disorder.own_time ? life.clock.now() : server.now(),
          })),
        ),
    };
  },
});

const writesOf = (context: Context, name: string) => {
  const bulkWrite = (operations: readonly Operation[], options?: Options) =>
    operate(context, options, true, (view) => performAll(view, name, operations));
  return {
    bulkWrite,
    updateOne: (filter: Document, update: Document, options: Options = {}) =>
      bulkWrite([{ updateOne: { filter, update, upsert: options.upsert === true } }], options),
    replaceOne: (filter: Document, replacement: Document, options?: Options) =>
      bulkWrite([{ replaceOne: { filter, replacement } }], options),
    findOneAndUpdate: (filter: Document, update: Document, options: Options = {}) =>
      operate(context, options, true, (view) => {
        const change = (before: Document, is_insert: boolean) => updated(before, update, is_insert);
        const { before, after } = updateFirst(view, name, filter, change, options.upsert === true);
        return options.returnDocument === 'after' ? after : before;
      }),
    insertMany: (documents: readonly Document[], options?: Options) =>
      operate(context, options, true, (view) => {
        for (const document of documents) insert(view, name, document);
      }),
    insertOne: (document: Document, options?: Options) =>
      operate(context, options, true, (view) => insert(view, name, document)),
    updateMany: (filter: Document, update: Document, options?: Options) =>
      bulkWrite([{ updateMany: { filter, update } }], options),
    deleteMany: (filter: Document, options?: Options) => bulkWrite([{ deleteMany: { filter } }], options),
    deleteOne: (filter: Document, options?: Options) =>
      operate(context, options, true, (view) => ({ deletedCount: deleteFirst(view, name, filter) })),
    createIndexes: () => operate(context, undefined, false, () => []),
    // No index is obsolete.
    indexes: async () => [],
  };
};

const collectionOf = (context: Context, requested: string) => {
  const { disorder, life } = context;
  const name = disorder.credits_apart && requested === 'credit_leases' ? `${requested} of ${life.of}` : requested;
  return { collectionName: name, ...readsOf(context, name), ...writesOf(context, name) };
};

/**
 * The part of the driver that the product uses, for one process.
 *
 * @param disorder the changed view of a faulty process
 */
export const openSimulatedStore = (
  world: World,
  server: StoreServer,
  life: Life,
  disorder: StoreDisorder = NO_DISORDER,
): ReadStore => {
  const context: Context = { world, server, life, disorder, transactions: new WeakMap() };
  const db = {
    collection: (name: string) => collectionOf(context, name),
    // Not the embedded store, so generations have the plain form.
    admin: () => ({ command: () => operate(context, undefined, false, () => ({ version: '8.0.0' })) }),
    createCollection: () => operate(context, undefined, false, () => undefined),
    listCollections: () => ({
      toArray: () =>
        operate(context, undefined, false, () =>
          (disorder.lists_nothing ? [] : server.versions.names()).map((name) => ({ name })),
        ),
    }),
  };
  return {
    db: db as unknown as Db,
    client: {} as MongoClient,
    transaction: transactionsOf(context),
    healthy: async () => !server.away,
    close: async () => undefined,
  };
};
