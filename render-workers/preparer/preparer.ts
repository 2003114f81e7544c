import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import type { WorkCost } from '../../domain/limits/failed-work.ts';
import { decideAppend } from '../../domain/render/decide.ts';
import type { Prepared, RenderFailed, RenderPrepared } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { afterPauses, retry } from '../../platform/process/retry.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WaitingRenders } from '../../read-models/renders/waiting-renders.ts';
import type { Append } from '../log/append-until-known.ts';
import { type JobConsumer, startJobConsumer } from '../log/job-consumer.ts';
import type { Author, Headers } from '../log/record-author.ts';
import { type WorkMeter, workMeter } from '../metering/work-meter.ts';
import type { AccountQueue } from './account-queue.ts';
import { openBacklog } from './backlog.ts';
import { INTERNAL_ERROR, type PreparationFault } from './preparation-fault.ts';

export type PreparerParts = {
  readonly records: RecordLog;
  readonly append: Append;
  readonly positions: ConsumerPositions;
  readonly stops?: StoppedPartitions;
  readonly queue: AccountQueue;
  /** False where the read model shows that the render is prepared; true when unknown. */
  readonly isInitializing: (render_id: string) => Promise<boolean>;
  /** Whether the account is over its limit of failed work; false when unknown. */
  readonly isHeldBack: (account_id: string) => Promise<boolean>;
  /** Where skipped renders are found again. */
  readonly waiting: WaitingRenders;
  /** Rejects when the signal aborts. */
  readonly prepare: (
    render: Render,
    meter: WorkMeter,
    stop: AbortSignal,
  ) => Promise<E.Either<PreparationFault, Prepared>>;
  /** Records the cost of a render that failed by a fault of its own. Never rejects. */
  readonly spent: (render: Render, cost: WorkCost) => Promise<void>;
  readonly by: Author;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly crash: (error: unknown) => void;
};

export type Preparer = {
  readonly stop: () => Promise<void>;
  /** Accounts whose renders wait in the read model. */
  readonly left: () => number;
};

type PreparerEvent = RenderPrepared | RenderFailed;

/** Beyond this, an account's renders wait in the read model. */
const MOST_IN_MEMORY = 500;
/** Renders whose outcome is appended but may not be in the read model yet. */
const MOST_RECENT = 10_000;

/** A project can have many faults at once; an event has a bound. */
const MOST_MESSAGE = 2_000;
const bounded = (message: string): string =>
  message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE).toWellFormed()}…`;

/** A waiting render, and the cause of its preparation. */
type Job = { readonly render: Render; readonly causation_id: string | null; readonly headers: Headers };

const eventOf = (
  by: Author,
  { render, causation_id }: Job,
  outcome: E.Either<PreparationFault, Prepared>,
): PreparerEvent => {
  const meta = by(causation_id, render.correlation_id);
  const of_render = { meta, render_id: render.id };
  if (E.isRight(outcome)) return { type: 'RenderPrepared', ...of_render, ...outcome.right };
  const { code, message, field } = outcome.left;
  const failure = { stage: 'preparation', code, message: bounded(message), field };
  return { type: 'RenderFailed', ...of_render, attempt_id: null, ...failure };
};

type PrepareOneParts = Pick<
  PreparerParts,
  'append' | 'isInitializing' | 'prepare' | 'spent' | 'by' | 'logger' | 'clock'
>;

/** After a mistake of ours, two further tries: it may be one of timing. */
const AFTER_A_MISTAKE = afterPauses([250, 1_000]);

/** Appends the outcome of a preparation, unless the fold would ignore it. */
const tell = async (
  parts: PrepareOneParts,
  job: Job,
  outcome: E.Either<PreparationFault, Prepared>,
  signal: AbortSignal,
): Promise<void> => {
  const { render, headers } = job;
  const render_id = render.id;
  const event = eventOf(parts.by, job, outcome);
  const verdict = decideAppend(render, event, parts.clock.now());
  if (E.isLeft(verdict)) {
    parts.logger.warn({ render_id, event: event.type, reason: verdict.left }, 'not appended: it would be ignored');
    return;
  }
  for (const decided of verdict.right) await parts.append('render-events', render_id, decided, { headers, signal });
  signal.throwIfAborted();
  if (E.isLeft(outcome)) parts.logger.info({ render_id, ...outcome.left }, 'a render cannot be prepared');
};

const tryOnce = async (parts: PrepareOneParts, job: Job, signal: AbortSignal): Promise<void> => {
  const meter = workMeter();
  const outcome = await parts.prepare(job.render, meter, signal);
  // Before the append, as nothing after the append is repeated.
  if (E.isLeft(outcome) && outcome.left.ours !== true) await parts.spent(job.render, meter.cost());
  await tell(parts, job, outcome, signal);
};

/**
 * Prepares a render and appends the outcome. An exception is this render's alone: after three tries it fails. Rejects
 * when the signal aborts, and where even that failure cannot be appended.
 */
export const prepareOne = async (parts: PrepareOneParts, job: Job, signal: AbortSignal): Promise<void> => {
  const render_id = job.render.id;
  if (!(await parts.isInitializing(render_id))) return;
  const onFailure = (error: unknown): void =>
    parts.logger.error({ render_id, error }, 'an exception in the preparation of a render; trying again');
  try {
    await retry(() => tryOnce(parts, job, signal), { clock: parts.clock, signal, policy: AFTER_A_MISTAKE, onFailure });
  } catch (error) {
    signal.throwIfAborted();
    parts.logger.error({ render_id, error }, 'an exception in the preparation of a render, which fails by it');
    await tell(parts, job, E.left(INTERNAL_ERROR), signal);
  }
};

/**
 * Consumes `render-status` and prepares every new render. Renders that cannot be queued now are skipped; the backlog
 * finds them in the read model.
 */
export const startPreparer = async (parts: PreparerParts): Promise<Preparer> => {
  const { queue, isHeldBack, waiting, logger, clock, crash } = parts;
  /** By render id, the signal that aborts its preparation. */
  const running = new Map<string, AbortSignal>();
  const recent = new LRUCache<string, true>({ max: MOST_RECENT });
  const isInHand = (render_id: string): boolean => running.get(render_id)?.aborted === false || recent.has(render_id);

  /** Prepares a render at most once at a time: both the log and the read model may name it. */
  const prepareNow = async (job: Job, signal: AbortSignal): Promise<void> => {
    const { id, account_id } = job.render;
    if (isInHand(id)) return;
    if (await isHeldBack(account_id)) return backlog.leave(account_id);
    if (isInHand(id)) return;
    running.set(id, signal);
    try {
      await prepareOne(parts, job, signal);
      recent.set(id, true);
    } catch (error) {
      signal.throwIfAborted();
      // Not in `recent`: the backlog finds it again, a minute later.
      logger.error({ render_id: id, error }, 'the outcome of a preparation could not be told; the render waits');
    } finally {
      if (running.get(id) === signal) running.delete(id);
    }
  };

  let following: JobConsumer | null = null;
  const backlog = openBacklog({
    ...{ renders: waiting, queue, isHeldBack, isInHand, logger, clock, crash },
    owned: () => following?.owned() ?? new Map(),
    prepare: async ({ render, causation_id }, signal) =>
      await prepareNow({ render, causation_id, headers: {} }, signal),
  });

  following = await startJobConsumer({
    ...parts,
    group: 'preparer',
    topic: 'render-status',
    jobOf: (record, source) => {
      if (record.type !== 'RenderFactAccepted' || record.transition?.to !== 'initializing') return null;
      const { render, meta } = record;
      const { account_id } = render;
      if (backlog.has(account_id) || queue.waitingOf(account_id) >= MOST_IN_MEMORY) {
        backlog.leave(account_id);
        return null;
      }
      const job = { render, causation_id: meta.causation_id, headers: traceOf(source.headers) };
      return { account_id, run: (signal) => prepareNow(job, signal) };
    },
  });
  const { stop } = following;
  return {
    left: backlog.accounts,
    stop: async () => {
      await backlog.stop();
      await stop();
    },
  };
};
