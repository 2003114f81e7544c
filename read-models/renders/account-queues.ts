import type { Db } from 'mongodb';
import type { RenderStatus } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { embeddedServerCheck } from '../embedded/server.ts';
import { servingRenders } from './model.ts';

export type AccountQueue = {
  readonly account_id: string;
  readonly preparing: number;
  readonly queued: number;
  readonly running: number;
  readonly waiting_since: number | null;
};

export type AccountQueues = {
  /** In no order; accounts without open renders are missing. */
  readonly queues: readonly AccountQueue[];
  /** False if there are more renders than the limit: then the queues count only some of them, mostly the oldest. */
  readonly is_whole: boolean;
};

/**
 * The maximum numbers of renders to count. The query reads their documents: an index with all fields would cost a write
 * at each change of status, for a rare query. The embedded store counts its maximum in a second.
 */
const MAX_COUNTED = 100_000;
const MAX_COUNTED_EMBEDDED = 20_000;

/** The server also gets this limit, because the caller stops waiting then. */
const TIMEOUT_MS = 5_000;

type Group = {
  readonly _id: { readonly account_id: string | null; readonly status: RenderStatus | null };
  readonly renders: number;
  /** The lowest position in the group. */
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

const added = (queue: AccountQueue, { _id: { status }, renders, first }: Group): AccountQueue => {
  const place = PLACES[status ?? 'complete'];
  if (place === undefined) return queue;
  const counted = { ...queue, [place]: queue[place] + renders };
  if (place === 'running' || first === null) return counted;
  return { ...counted, waiting_since: earlier(queue.waiting_since, Number(first.slice(0, TIME_DIGITS))) };
};

export const openAccountQueues = (db: Db): (() => Promise<AccountQueues>) => {
  const serving = servingRenders(db);
  const isEmbedded = embeddedServerCheck(db);
  return async () => {
    const { renders } = await serving();
    const most = (await isEmbedded()) ? MAX_COUNTED_EMBEDDED : MAX_COUNTED;
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
