import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { decideFact } from '../../domain/render/decide.ts';
import type { RenderFailed, RenderPrepared } from '../../domain/render/events.ts';
import type { Prepared, Render } from '../../domain/render/render.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { ConsumerPositions } from '../../platform/consumer-position/consumer-positions.ts';
import { type Progress, progressFrom } from '../../platform/consumer-position/progress.ts';
import type { RecordBatch, Subscription } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Append } from '../log/append-until-known.ts';
import type { Author, Headers } from '../log/fact-meta.ts';
import { decodeRecords } from '../log/follow-from-end.ts';
import type { PreparationFault } from './preparation-fault.ts';
import type { PreparationQueue } from './preparation-queue.ts';

const TOPIC = 'render-status';
const SAVE_EVERY_MS = 1_000;
const POSITION_PAUSE_MS = 1_000;
/** Preparations of one partition that may wait: above the first number its consumer pauses, below the second it goes on. */
const PAUSE_ABOVE = 2_000;
const RESUME_BELOW = 1_000;

export type PreparerParts = {
  readonly records: RecordLog;
  readonly append: Append;
  readonly positions: ConsumerPositions;
  readonly queue: PreparationQueue;
  /** False where the read model shows the render further on; true where it is not known. */
  readonly isInitializing: (render_id: string) => Promise<boolean>;
  /** Rejects when the signal aborts. */
  readonly prepare: (render: Render, stop: AbortSignal) => Promise<E.Either<PreparationFault, Prepared>>;
  readonly by: Author;
  readonly logger: Logger;
  readonly crash: (error: unknown) => void;
};

export type Preparer = { readonly stop: () => Promise<void>; readonly lag: () => Promise<number> };

/** One partition while it is ours. */
type Held = {
  readonly partition: number;
  readonly progress: Progress;
  readonly life: AbortController;
  saved: number;
  paused: boolean;
};

type Fact = RenderPrepared | RenderFailed;

/** A project can have many faults at once; a fact has a bound. */
const MOST_MESSAGE = 2_000;
const bounded = (message: string): string =>
  message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE).toWellFormed()}…`;

const factOf = (by: Author, accepted: RenderFactAccepted, outcome: E.Either<PreparationFault, Prepared>): Fact => {
  const { render_id, render } = accepted;
  const meta = by(accepted.meta.causation_id, render.correlation_id);
  return E.isRight(outcome)
    ? { type: 'RenderPrepared', meta, render_id, ...outcome.right }
    : {
        type: 'RenderFailed',
        meta,
        render_id,
        attempt_id: null,
        stage: 'preparation',
        ...outcome.left,
        message: bounded(outcome.left.message),
      };
};

/** Prepares one render and appends what came of it; until then its offset stays unfinished. */
const prepareOne = async (
  parts: PreparerParts,
  accepted: RenderFactAccepted,
  headers: Headers,
  signal: AbortSignal,
): Promise<void> => {
  const { render_id, render } = accepted;
  if (!(await parts.isInitializing(render_id))) return;
  const outcome = await parts.prepare(render, signal);
  const fact = factOf(parts.by, accepted, outcome);
  const verdict = decideFact(render, fact, Date.now());
  if (E.isLeft(verdict)) {
    parts.logger.warn({ render_id, fact: fact.type, reason: verdict.left }, 'not appended: it would be ignored');
    return;
  }
  for (const decided of verdict.right) await parts.append('render-events', render_id, decided, { headers, signal });
  signal.throwIfAborted();
  if (E.isLeft(outcome)) parts.logger.info({ render_id, ...outcome.left }, 'a render cannot be prepared');
};

/** Follows `render-status` and has every new render prepared. Its consumer only hands over. */
export const startPreparer = async (parts: PreparerParts): Promise<Preparer> => {
  const { records, positions, queue, logger } = parts;
  const warn = sparingWarnings(logger);
  const held = new Map<number, Held>();
  const life = new AbortController();
  let subscription: Subscription | null = null;

  const finish = (one: Held, offset: number): void => {
    one.progress.finish(offset);
    if (!one.paused || one.progress.unfinished() > RESUME_BELOW) return;
    one.paused = false;
    subscription?.resume(TOPIC, one.partition);
  };

  const handOver = (one: Held, accepted: RenderFactAccepted, offset: number, headers: Headers): void => {
    const { signal } = one.life;
    queue.add({
      account_id: accepted.render.account_id,
      run: async () => {
        // A partition that was lost is another preparer's now.
        if (signal.aborted) return;
        try {
          await prepareOne(parts, accepted, headers, signal);
          finish(one, offset);
        } catch (error) {
          if (!signal.aborted) parts.crash(error);
        }
      },
    });
  };

  const onBatch = async ({ partition, records: batch }: RecordBatch): Promise<void> => {
    const one = held.get(partition);
    if (one === undefined) return;
    for (const source of batch) {
      const [read] = await decodeRecords(records, [source], 'stop');
      one.progress.begin(source.offset);
      const accepted = read?.record;
      if (accepted?.type === 'RenderFactAccepted' && accepted.transition?.to === 'initializing') {
        handOver(one, accepted, source.offset, traceOf(source.headers));
      } else {
        finish(one, source.offset);
      }
    }
    if (one.paused || one.progress.unfinished() <= PAUSE_ABOVE) return;
    one.paused = true;
    subscription?.pause(TOPIC, partition);
  };

  const save = async (one: Held): Promise<void> => {
    const next = one.progress.next();
    if (next <= one.saved) return;
    await positions.save(TOPIC, one.partition, next);
    one.saved = next;
  };
  let saving: Promise<void> = Promise.resolve();
  const saveAll = (): Promise<void> => {
    saving = saving
      .then(async () => {
        for (const one of held.values()) await save(one);
      })
      // It is written later; a restart only repeats some work.
      .catch((error: unknown) => warn({ error }, 'the position could not be kept'));
    return saving;
  };

  const loadPosition = async (partition: number): Promise<number> => {
    for (;;) {
      try {
        return await positions.load(TOPIC, partition);
      } catch (error) {
        warn({ error, partition }, 'the position could not be read; trying again');
        await wait(POSITION_PAUSE_MS, undefined, { signal: life.signal });
      }
    }
  };

  subscription = await records.log.subscribe({
    group: 'preparer',
    topics: [TOPIC],
    concurrency: 4,
    position: async (_topic, partition) => {
      const kept = held.get(partition);
      if (kept !== undefined) return kept.progress.end();
      const from = await loadPosition(partition);
      const own = new AbortController();
      held.set(partition, { partition, progress: progressFrom(from), life: own, saved: from, paused: false });
      return from;
    },
    on_batch: onBatch,
    on_revoked: async (_topic, partitions) => {
      for (const partition of partitions) {
        held.get(partition)?.life.abort();
        held.delete(partition);
      }
    },
  });
  const ticking = setInterval(() => void saveAll(), SAVE_EVERY_MS);

  return {
    lag: async () => (await subscription?.lag()) ?? 0,
    stop: async () => {
      clearInterval(ticking);
      life.abort();
      await saveAll();
      for (const one of held.values()) one.life.abort();
      await subscription?.stop();
    },
  };
};
