import type { Db } from 'mongodb';
import type { RenderStatus } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { embeddedServerCheck } from '../embedded/server.ts';
import { servingRenders } from './model.ts';

/** Renders of one account that are neither complete nor failed. */
export type AccountQueue = {
  readonly account_id: string;
  /** They wait to be prepared, or are being prepared. */
  readonly preparing: number;
  /** They wait for a worker. */
  readonly queued: number;
  readonly running: number;
  /** When that of them was requested which waits longest to be rendered, ms; null where none waits. */
  readonly waiting_since: number | null;
};

export type AccountQueues = {
  /** In no order; none of an account that has no such renders. */
  readonly queues: readonly AccountQueue[];
  /** False where there are more renders than are counted: then these are of some, mostly of the oldest. */
  readonly is_whole: boolean;
};

/**
 * Documents are read for it: an index that holds all that is asked for would be written at each change of a status, for a
 * question that people ask now and then. The embedded store takes a second for a fifth of them.
 */
const MOST_COUNTED = 100_000;
const MOST_COUNTED_EMBEDDED = 20_000;

/** For the server, too: who asks waits no longer. */
const TIMEOUT_MS = 5_000;

type Group = {
  readonly _id: { readonly account_id: string | null; readonly status: RenderStatus | null };
  readonly renders: number;
  /** The first position of them. */
  readonly first: string | null;
};

const NONE = { preparing: 0, queued: 0, running: 0, waiting_since: null };

const PLACES: Readonly<Partial<Record<RenderStatus, 'preparing' | 'queued' | 'running'>>> = {
  initializing: 'preparing',
  ready: 'queued',
  queued: 'queued',
  processing: 'running',
  finalizing: 'running',
};

const TIME_DIGITS = 13;

const earlier = (one: number | null, other: number): number => (one === null ? other : Math.min(one, other));

/** What the renders of a status add to their account's queue. */
const added = (queue: AccountQueue, { _id: { status }, renders, first }: Group): AccountQueue => {
  const place = PLACES[status ?? 'complete'];
  if (place === undefined) return queue;
  const counted = { ...queue, [place]: queue[place] + renders };
  if (place === 'running' || first === null) return counted;
  return { ...counted, waiting_since: earlier(queue.waiting_since, Number(first.slice(0, TIME_DIGITS))) };
};

/** The queue of every account. Rejects when the store does not answer, or not in time. */
export const openAccountQueues = (db: Db): (() => Promise<AccountQueues>) => {
  const serving = servingRenders(db);
  const isEmbedded = embeddedServerCheck(db);
  return async () => {
    const { renders } = await serving();
    const most = (await isEmbedded()) ? MOST_COUNTED_EMBEDDED : MOST_COUNTED;
    const pipeline = [
      { $match: { open: true } },
      { $limit: most },
      {
        $group: {
          _id: { account_id: '$account_id', status: '$status' },
          renders: { $sum: 1 },
          first: { $min: '$position' },
        },
      },
    ];
    const groups = await renders
      .aggregate<Group>(pipeline, { ...queryTimeout(TIMEOUT_MS), maxTimeMS: TIMEOUT_MS })
      .toArray();
    const queues = new Map<string, AccountQueue>();
    for (const group of groups) {
      const { account_id } = group._id;
      if (account_id !== null) queues.set(account_id, added(queues.get(account_id) ?? { account_id, ...NONE }, group));
    }
    const counted = groups.reduce((all, { renders }) => all + renders, 0);
    return { queues: [...queues.values()], is_whole: counted < most };
  };
};
