import type { Observation } from '../../domain/dispatch/dispatch.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { CheckpointDocument } from '../checkpoint.ts';
import { FACTS_WITHOUT_TEXTS, type RenderDocument } from './documents.ts';
import type { ServingRenders } from './model.ts';

type Seen = Extract<Observation, { tag: 'render_seen' }>;

/**
 * Renders of the read model that are not final. The read model is behind `render-status` only if its store was
 * restored.
 */
export type UnfinishedRenders = {
  /** Every render that is not final, in batches, so that the consumer can do other work between them. */
  readonly all: () => AsyncIterable<readonly Seen[]>;
  readonly one: (render_id: string) => Promise<Seen | null>;
  /**
   * Rejects if the read model lacks one of these records of `render-events`.
   *
   * @param published by partition, the offset of a record whose status was published
   */
  readonly requireFolded: (published: ReadonlyMap<number, number>) => Promise<void>;
};

export const partitionsBehind = (
  published: ReadonlyMap<number, number>,
  checkpoints: readonly Pick<CheckpointDocument, '_id' | 'next' | 'closed'>[],
): readonly number[] => {
  const found = new Map(checkpoints.map((one) => [one._id, one]));
  return [...published].flatMap(([partition, offset]) => {
    const { next, closed } = found.get(partition) ?? { next: 0 };
    return (closed?.next ?? next) > offset ? [] : [partition];
  });
};

type Row = Pick<RenderDocument, '_id' | 'offset' | 'render' | 'facts'>;
const AT_A_TIME = 500;
const ROW = { projection: { offset: 1, render: 1, ...FACTS_WITHOUT_TEXTS } } as const;

const seenIn = ({ offset, render, facts }: Row, now: number): Seen | null => {
  if (render === null) return null;
  const accepted = facts.flatMap((stored) => (stored.verdict === 'accepted' ? [stored] : []));
  const event_id = accepted.at(-1)?.fact.meta.event_id ?? null;
  const lost_ago = new Map(
    accepted.flatMap(({ fact, appended_at }) =>
      fact.type === 'AttemptLost' ? [[fact.attempt_id, Math.max(0, now - appended_at)] as const] : [],
    ),
  );
  return { tag: 'render_seen', render, offset, event_id, actor: null, ...(lost_ago.size === 0 ? {} : { lost_ago }) };
};

/** @param clock computes how long ago attempts were lost */
export const unfinishedRenders = (serving: ServingRenders, clock: Pick<Clock, 'now' | 'sleep'>): UnfinishedRenders => ({
  all: async function* () {
    let seen: Seen[] = [];
    const rows = (await serving()).renders.find<Row>({ open: true }, { ...ROW, batchSize: AT_A_TIME });
    for await (const row of rows) {
      const one = seenIn(row, clock.now());
      if (one !== null) seen.push(one);
      if (seen.length < AT_A_TIME) continue;
      yield seen;
      seen = [];
      // Lets other tasks run: the rows of a batch arrive without a pause.
      await clock.sleep(0);
    }
    yield seen;
  },
  one: async (render_id) => {
    const row = await (await serving()).renders.findOne<Row>({ _id: render_id }, { ...ROW, ...queryTimeout() });
    return row === null ? null : seenIn(row, clock.now());
  },
  requireFolded: async (published) => {
    const { checkpoints } = await serving();
    const lacking = partitionsBehind(published, await checkpoints.find({}, queryTimeout()).toArray());
    if (lacking.length > 0) throw new Error(`the read model lacks published events of partitions ${lacking}`);
  },
});
