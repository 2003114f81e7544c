import {
  type ClientSession,
  type Db,
  type Document,
  type MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb';
import { retry } from '../../../platform/process/retry.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { insertedBy, matches, projected, sorted, updated } from './matching.ts';
import type { Versions } from './versions.ts';

type Id = string | number;

/** The server of the store, as all processes have it. */
export type StoreServer = {
  readonly versions: Versions;
  away: boolean;
  /** The time of its clock, ms since the epoch. */
  readonly now: () => number;
  /** The chance that the answer to a write is lost. */
  lost_answers: number;
  /** Restored or lost so often: what was begun before is over. */
  epoch: number;
  /** When that was last, ms. */
  restored_at: number;
  /** Reads of the position of this partition get no answer until then, ms. */
  slow_position: { readonly partition: number; readonly until: number } | null;
};

/** Where consumers and projectors of renders note how far they are; by partition, or by a name that ends with it. */
const POSITIONS = /^(render_checkpoints_g\d+|consumer_positions|webhook_positions)$/;

/** A transaction: what it has seen and changed. */
type Transaction = {
  readonly as_of: number;
  readonly epoch: number;
  readonly changes: Map<string, Map<Id, Document | null>>;
};

/** The changed view of a faulty process. */
export type StoreDisorder = {
  /** The credits that other processes may spend are hidden from it. */
  readonly credits_apart: boolean;
  /** Every partition is folded only up to the time of the one that is furthest behind. */
  readonly lag_of_all: boolean;
  /** The clock of the process replaces the clock of the store. */
  readonly own_time: boolean;
  /** No generation is found but those that serve or are made. */
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

/** Every document, with the time by the clock of the store. */
const TIMED = JSON.stringify([{ $set: { now: { $toLong: '$$NOW' } } }]);

const DUPLICATE_KEY = 11_000;
const MAX_TRIES = 8;

const transient = (): MongoError => {
  const error = new MongoServerError({ message: 'WriteConflict', code: 112 });
  error.addErrorLabel('TransientTransactionError');
  return error;
};

const idOf = (document: Document): Id => document._id;

/** Documents as an operation sees and changes them. */
type View = {
  readonly find: (collection: string, filter: Document) => readonly Document[];
  readonly write: (collection: string, id: Id, document: Document | null) => void;
};

/** One operation of a bulk write. */
type Operation = {
  readonly insertOne?: { readonly document: Document };
  readonly updateOne?: { readonly filter: Document; readonly update: Document; readonly upsert?: boolean };
  readonly replaceOne?: { readonly filter: Document; readonly replacement: Document; readonly upsert?: boolean };
  readonly deleteOne?: { readonly filter: Document };
  readonly deleteMany?: { readonly filter: Document };
};

/**
 * The store as one process has it: of the driver, what the product uses.
 *
 * @param alters what a process that is out of order sees instead
 */
export const openSimulatedStore = (
  world: World,
  server: StoreServer,
  life: Life,
  alters: StoreDisorder = NO_DISORDER,
): ReadStore => {
  const { random } = world;
  const { versions } = server;
  const transactions = new WeakMap<object, Transaction>();

  const viewAt = (as_of: number, changes: Map<string, Map<Id, Document | null>>, epoch: number): View => {
    const changed = (collection: string): Map<Id, Document | null> => {
      const its = changes.get(collection) ?? new Map<Id, Document | null>();
      changes.set(collection, its);
      return its;
    };
    const one = (collection: string, id: Id): Document | null => {
      const own = changes.get(collection)?.get(id);
      return own === undefined ? versions.find(collection, id, as_of) : own;
    };
    return {
      find: (collection, filter) => {
        const { _id } = filter;
        const ids = typeof _id === 'string' || typeof _id === 'number' ? [_id] : _id?.$in;
        if (Array.isArray(ids)) {
          return [...new Set<Id>(ids)].flatMap((id) => {
            const found = one(collection, id);
            return found !== null && matches(found, filter) ? [found] : [];
          });
        }
        const own = changes.get(collection);
        const stored = versions.all(collection, as_of).filter((document) => own?.has(idOf(document)) !== true);
        const all =
          own === undefined ? stored : [...stored, ...[...own.values()].flatMap((document) => document ?? [])];
        return all.filter((document) => matches(document, filter));
      },
      write: (collection, id, document) => {
        if (versions.writtenAt(collection, id) > as_of || epoch !== server.epoch) throw transient();
        changed(collection).set(id, document);
      },
    };
  };

  const insert = (view: View, collection: string, document: Document): void => {
    const id = idOf(document);
    if (view.find(collection, { _id: id }).length > 0) {
      throw new MongoServerError({ message: `E11000 duplicate key: ${collection} ${id}`, code: DUPLICATE_KEY });
    }
    view.write(collection, id, document);
  };

  const updateOne = (
    view: View,
    collection: string,
    filter: Document,
    change: (before: Document, is_insert: boolean) => Document,
    upsert: boolean,
  ): { readonly before: Document | null; readonly after: Document | null; readonly upserted: Id | null } => {
    const [before] = view.find(collection, filter);
    if (before !== undefined) {
      const after = change(before, false);
      view.write(collection, idOf(before), after);
      return { before, after, upserted: null };
    }
    if (!upsert) return { before: null, after: null, upserted: null };
    const after = change(insertedBy(filter), true);
    insert(view, collection, after);
    return { before: null, after, upserted: idOf(after) };
  };

  /** How long a read of a position waits. */
  const waitOf = (name: string, { _id }: Document): number => {
    const { slow_position: slow } = server;
    if (slow === null || _id === undefined || !POSITIONS.test(name)) return 0;
    return String(_id).split('/').at(-1) === String(slow.partition)
      ? Math.max(0, slow.until - world.scheduler.now())
      : 0;
  };

  const latency = (): number => 0.3 + random.next() * (random.chance(0.04) ? 300 : 4);

  /** One operation, in its transaction or in one of its own. */
  const operate = <A>(
    options: Options | undefined,
    is_write: boolean,
    work: (view: View) => A,
    waits_ms = 0,
  ): Promise<A> =>
    life.ask(waits_ms + (server.away ? random.between(50, 5_000) : latency()), () => {
      if (server.away) throw new MongoNetworkError('the store is away');
      const { session } = options ?? {};
      const transaction = session === undefined ? undefined : transactions.get(session);
      if (transaction !== undefined) {
        return work(viewAt(transaction.as_of, transaction.changes, transaction.epoch));
      }
      const changes = new Map<string, Map<Id, Document | null>>();
      const result = work(viewAt(versions.now(), changes, server.epoch));
      if (changes.size > 0) versions.commit(changes);
      if (is_write && random.chance(server.lost_answers)) throw new MongoNetworkError('the answer is lost');
      return result;
    });

  const commit = (transaction: Transaction): Promise<void> =>
    life.ask(server.away ? random.between(50, 5_000) : latency(), () => {
      if (server.away) throw new MongoNetworkError('the store is away');
      for (const [collection, documents] of transaction.changes) {
        for (const id of documents.keys()) {
          if (versions.writtenAt(collection, id) > transaction.as_of) throw transient();
        }
      }
      if (transaction.epoch !== server.epoch) throw transient();
      if (transaction.changes.size > 0) versions.commit(transaction.changes);
      if (random.chance(server.lost_answers)) throw new MongoNetworkError('the answer to a commit is lost');
    });

  const seen = (name: string, stored: readonly Document[]): readonly Document[] =>
    alters.lag_of_all && WATERMARKS.test(name) ? earliestOf(stored) : stored;

  const cursor = (name: string, filter: Document, options: Options = {}) => {
    let [order, most]: [Document | null, number] = [null, options.limit ?? Number.POSITIVE_INFINITY];
    const toArray = (): Promise<readonly Document[]> =>
      operate(
        options,
        false,
        (view) => {
          const found = seen(name, view.find(name, filter));
          const all = order === null ? found : sorted(found, order);
          return all.slice(0, most).map((document) => projected(document, options.projection));
        },
        waitOf(name, filter),
      );
    const its = {
      sort: (by: Document) => {
        order = by;
        return its;
      },
      limit: (count: number) => {
        most = count;
        return its;
      },
      batchSize: () => its,
      toArray,
      async *[Symbol.asyncIterator]() {
        yield* await toArray();
      },
    };
    return its;
  };

  const bulkWrite = (name: string, operations: readonly Operation[], options?: Options) =>
    operate(options, true, (view) => {
      let matchedCount = 0;
      const upsertedIds: Record<number, Id> = {};
      for (const [i, operation] of operations.entries()) {
        const { insertOne: added, updateOne: update, replaceOne: replace, deleteOne: removal } = operation;
        if (operation.deleteMany !== undefined) {
          for (const found of view.find(name, operation.deleteMany.filter)) view.write(name, idOf(found), null);
          continue;
        }
        if (added === undefined && update === undefined && replace === undefined && removal === undefined)
          throw new Error(`the simulated store does not know ${Object.keys(operation)}`);
        if (added !== undefined) {
          insert(view, name, added.document);
          continue;
        }
        if (removal !== undefined) {
          const [found] = view.find(name, removal.filter);
          if (found !== undefined) view.write(name, idOf(found), null);
          continue;
        }
        const { filter, upsert = false } = update ?? replace ?? { filter: {} };
        const change = (before: Document, is_insert: boolean): Document =>
          update === undefined
            ? { ...replace?.replacement, _id: before._id }
            : updated(before, update.update, is_insert);
        const { before, upserted } = updateOne(view, name, filter, change, upsert);
        if (before !== null) matchedCount += 1;
        if (upserted !== null) upsertedIds[i] = upserted;
      }
      return { matchedCount, upsertedIds };
    });

  const collection = (named: string) =>
    collectionOf(alters.credits_apart && named === 'credit_leases' ? `${named} of ${life.of}` : named);
  const collectionOf = (name: string) => ({
    collectionName: name,
    find: (filter: Document, options?: Options) => cursor(name, filter, options),
    findOne: async (filter: Document, options?: Options) =>
      (await cursor(name, filter, { ...options, limit: 1 }).toArray())[0] ?? null,
    updateOne: (filter: Document, update: Document, options: Options = {}) =>
      bulkWrite(name, [{ updateOne: { filter, update, upsert: options.upsert === true } }], options),
    /** The one pipeline that the parts which are simulated use. */
    aggregate: (pipeline: readonly Document[], options?: Options) => {
      if (JSON.stringify(pipeline) !== TIMED)
        throw new Error(`the simulated store does not know ${JSON.stringify(pipeline)}`);
      return {
        toArray: () =>
          operate(options, false, (view) =>
            seen(name, view.find(name, {})).map((document) => ({
              ...document,
              now: alters.own_time ? life.clock.now() : server.now(),
            })),
          ),
      };
    },
    findOneAndUpdate: (filter: Document, update: Document, options: Options = {}) =>
      operate(options, true, (view) => {
        const change = (before: Document, is_insert: boolean) => updated(before, update, is_insert);
        const { before, after } = updateOne(view, name, filter, change, options.upsert === true);
        return options.returnDocument === 'after' ? after : before;
      }),
    insertMany: (documents: readonly Document[], options?: Options) =>
      operate(options, true, (view) => {
        for (const document of documents) insert(view, name, document);
      }),
    insertOne: (document: Document, options?: Options) =>
      operate(options, true, (view) => insert(view, name, document)),
    replaceOne: (filter: Document, replacement: Document, options?: Options) =>
      bulkWrite(name, [{ replaceOne: { filter, replacement } }], options),
    deleteOne: (filter: Document, options?: Options) =>
      operate(options, true, (view) => {
        const [found] = view.find(name, filter);
        if (found !== undefined) view.write(name, idOf(found), null);
        return { deletedCount: found === undefined ? 0 : 1 };
      }),
    countDocuments: async (filter: Document, options?: Options) =>
      (await cursor(name, filter, options).toArray()).length,
    createIndexes: () => operate(undefined, false, () => []),
    bulkWrite: (operations: readonly Operation[], options?: Options) => bulkWrite(name, operations, options),
  });

  const db = {
    collection,
    // Not the embedded store, so generations have the plain form.
    admin: () => ({ command: () => operate(undefined, false, () => ({ version: '8.0.0' })) }),
    createCollection: () => operate(undefined, false, () => undefined),
    listCollections: () => ({
      toArray: () =>
        operate(undefined, false, () => (alters.lists_nothing ? [] : versions.names()).map((name) => ({ name }))),
    }),
  };

  const transaction: ReadStore['transaction'] = (work) => {
    const once = async () => {
      const own: Transaction = { as_of: versions.now(), epoch: server.epoch, changes: new Map() };
      const session = {} as ClientSession;
      transactions.set(session, own);
      const result = await work(session);
      await commit(own);
      return result;
    };
    return retry(once, {
      clock: life.clock,
      policy: (failures) => (failures === MAX_TRIES ? null : 5 * 2 ** failures * (0.5 + random.next())),
      isTransient: (error) => error instanceof MongoError && error.hasErrorLabel('TransientTransactionError'),
    });
  };

  return {
    db: db as unknown as Db,
    client: {} as MongoClient,
    transaction,
    healthy: async () => !server.away,
    close: async () => undefined,
  };
};
