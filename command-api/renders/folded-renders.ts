import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Place } from '../../domain/credits/holds.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { within } from '../../platform/process/within.ts';
import { openArrivals } from '../../platform/read-store/arrivals.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { sharedRead } from '../../platform/read-store/shared-read.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { renderCollections } from '../../read-models/collections.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';

/** The request that the fold accepted: of several for one render the first in the log, and so the same for ever. */
export type FoldedRequest = {
  readonly fact: RenderRequested;
  /** Append time of the fact, ms. */
  readonly appended_at: number;
  readonly place: Place;
};

/** Accepted requests, as the read model has them. */
export type FoldedRenders = {
  /** Null when the read model does not have it. Rejects when the store does not answer. */
  readonly find: (render_id: string) => Promise<FoldedRequest | null>;
  /** Where those of these renders that the read model has were accepted. Rejects when the store does not answer. */
  readonly places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, Place>>;
  /** As soon as the read model has it; null when it has not within the time, be it that the store does not answer. */
  readonly arrived: (render_id: string, timeout_ms: number) => Promise<FoldedRequest | null>;
  /** Like `find`, in a read model that has folded all that was appended before; `behind` if none has within the time. */
  readonly findInAll: (render_id: string, timeout_ms: number) => Promise<FoldedRequest | null | 'behind'>;
};

const TOPIC = 'render-events';
const LOOK_EVERY_MS = 50;

/** What is read of a document, of which more is long. */
const LOOKED_AT = { projection: { partition: 1, facts: 1 } } as const;
type LookedAt = Pick<RenderDocument, '_id' | 'partition' | 'facts'>;

const requestOf = (document: LookedAt | null): FoldedRequest | null => {
  for (const stored of document?.facts ?? []) {
    if (stored.verdict !== 'accepted' || stored.fact.type !== 'RenderRequested') continue;
    const { fact, appended_at, offset } = stored;
    return { fact, appended_at, place: { partition: document?.partition ?? 0, offset } };
  }
  return null;
};

/** @param generation the current one of the renders */
export const openFoldedRenders = (db: Db, generation: () => Promise<number>, log: EventLog): FoldedRenders => {
  const collections = async () => {
    const names = renderCollections(await generation());
    return {
      renders: db.collection<RenderDocument>(names.renders),
      checkpoints: db.collection<CheckpointDocument>(names.checkpoints),
    };
  };
  // Many requests may carry one key, and many wait at a time.
  const read = sharedRead(async (_id) => (await collections()).renders.findOne({ _id }, { ...LOOKED_AT, ...inTime() }));
  const findAll = async (ids: readonly string[]): Promise<readonly LookedAt[]> =>
    await (await collections()).renders.find({ _id: { $in: [...ids] } }, { ...LOOKED_AT, ...inTime() }).toArray();
  const arrivals = openArrivals(findAll);
  const ends = sharedRead(async (topic) => (await log.bounds(topic)).map(({ end }) => end));

  const find = async (render_id: string): Promise<FoldedRequest | null> => requestOf(await read(render_id));

  const arrived = async (render_id: string, timeout_ms: number): Promise<FoldedRequest | null> => {
    const until = performance.now() + timeout_ms;
    for (let left_ms = timeout_ms; left_ms > 0; left_ms = until - performance.now()) {
      try {
        return requestOf(await arrivals.wait(render_id, (document) => requestOf(document) !== null, left_ms));
      } catch {
        await pause(LOOK_EVERY_MS);
      }
    }
    return null;
  };

  const findInAll = async (render_id: string, signal: AbortSignal): Promise<FoldedRequest | null | 'behind'> => {
    const partitions = await ends(TOPIC);
    const _id = partitionOfKey(render_id, partitions.length);
    // One generation for both: another may have folded less.
    const { renders, checkpoints } = await collections();
    while (!signal.aborted) {
      const checkpoint = await checkpoints.findOne({ _id }, inTime());
      if ((checkpoint?.next ?? 0) >= (partitions[_id] ?? 0))
        return requestOf(await renders.findOne({ _id: render_id }, { ...LOOKED_AT, ...inTime() }));
      await pause(LOOK_EVERY_MS);
    }
    return 'behind';
  };

  return {
    find,
    places: async (render_ids) =>
      new Map(
        (await findAll(render_ids)).flatMap((document) => {
          const request = requestOf(document);
          return request === null ? [] : [[document._id, request.place] as const];
        }),
      ),
    // A store that holds its connections open and says nothing takes longer than it is given.
    arrived: (render_id, timeout_ms) => within(timeout_ms, arrived(render_id, timeout_ms), () => null),
    findInAll: (render_id, timeout_ms) =>
      within(
        timeout_ms,
        findInAll(render_id, AbortSignal.timeout(timeout_ms)).catch(() => 'behind' as const),
        () => 'behind' as const,
      ),
  };
};
