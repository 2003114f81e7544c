import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { NO_COST, type WorkCost } from '../../domain/limits/failed-work.ts';
import { isCancelled } from '../../domain/render/cancellation.ts';
import { decideAppend } from '../../domain/render/decide.ts';
import { ENVIRONMENT_CODE } from '../../domain/render/environment.ts';
import type { PreparedRender, RenderFailed, RenderPrepared } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import { retry, retryAfterPauses } from '../../platform/process/retry.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WaitingRenders } from '../../read-models/renders/waiting-renders.ts';
import type { RetryingAppend } from '../log/append-until-known.ts';
import { type JobConsumer, startJobConsumer } from '../log/job-consumer.ts';
import type { CreateMeta, Headers } from '../log/record-author.ts';
import { type WorkMeter, workMeter } from '../metering/work-meter.ts';
import type { AccountWindows } from './account-windows.ts';
import { type Backlog, openBacklog } from './backlog.ts';
import { INTERNAL_ERROR, type PreparationFault } from './preparation-fault.ts';
import { type PrepareWhenPossibleDependencies, prepareWhenPossible } from './prepare-when-possible.ts';

export type PrepareOneDependencies = PrepareWhenPossibleDependencies & {
  readonly append: RetryingAppend;
  /** Records the cost of a render that failed by its own fault. Never rejects. */
  readonly recordCost: (render: Render, cost: WorkCost) => Promise<void>;
  readonly by: CreateMeta;
};

export type PreparationsDependencies = PrepareOneDependencies & {
  readonly windows: AccountWindows;
  readonly isHeldBack: (account_id: string) => Promise<boolean>;
  readonly waiting: WaitingRenders;
  readonly owned: () => ReadonlyMap<number, AbortSignal>;
  readonly crash: (error: unknown) => void;
};

export type PreparerDependencies = Omit<PreparationsDependencies, 'owned'> & {
  readonly records: RecordLog;
  readonly positions: ConsumerPositions;
  readonly stops?: StoppedPartitions;
};

export type Preparer = {
  readonly stop: () => Promise<void>;
  readonly remaining: () => number;
};

type PreparerEvent = RenderPrepared | RenderFailed;

/** Number of finished renders to remember, because the read model may still show them as waiting. */
const MAX_RECENT = 10_000;

/** Maximum characters of a message. A project can have many faults, but an event has a size limit. */
const MAX_MESSAGE = 2_000;
const bounded = (message: string): string =>
  message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE).toWellFormed()}…`;

export type PreparationJob = {
  readonly render: Render;
  readonly causation_id: string | null;
  readonly headers: Headers;
};

const eventOf = (
  by: CreateMeta,
  { render, causation_id }: PreparationJob,
  outcome: E.Either<PreparationFault, PreparedRender>,
): PreparerEvent => {
  const meta = by(causation_id, render.correlation_id);
  const of_render = { meta, render_id: render.id };
  if (E.isRight(outcome)) return { type: 'RenderPrepared', ...of_render, ...outcome.right };
  const { code, message, field } = outcome.left;
  const failure = { stage: 'preparation', code, message: bounded(message), field };
  return { type: 'RenderFailed', ...of_render, attempt_id: null, ...failure };
};

/** An unexpected exception gets two more tries, because it may depend on timing. */
const AFTER_A_MISTAKE = retryAfterPauses([250, 1_000]);

const tell = async (
  parts: PrepareOneDependencies,
  job: PreparationJob,
  outcome: E.Either<PreparationFault, PreparedRender>,
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
  if (E.isRight(outcome)) return;
  const details = { render_id, ...outcome.left };
  if (outcome.left.code === ENVIRONMENT_CODE)
    parts.logger.error(details, 'a render fails by its environment, through no fault of its own');
  else parts.logger.info(details, 'a render cannot be prepared');
};

const tryOnce = async (
  parts: PrepareOneDependencies,
  job: PreparationJob,
  signal: AbortSignal,
  meterOf: () => WorkMeter,
): Promise<void> => {
  const ended = await prepareWhenPossible(parts, job.render, signal, meterOf);
  if (ended === null) return;
  const { outcome, cost } = ended;
  // Count the cost before the append, because nothing after the append is repeated.
  if (E.isLeft(outcome) && outcome.left.ours !== true) await parts.recordCost(job.render, cost);
  await tell(parts, job, outcome, signal);
};

/**
 * If three tries end in an exception, only this render fails. Rejects when the signal aborts, and when the failure
 * cannot be appended.
 */
export const prepareWithRetries = async (
  parts: PrepareOneDependencies,
  job: PreparationJob,
  signal: AbortSignal,
  meterOf: () => WorkMeter = workMeter,
): Promise<void> => {
  const render_id = job.render.id;
  const onFailure = (error: unknown): void =>
    parts.logger.error({ render_id, error }, 'an exception in the preparation of a render; trying again');
  try {
    const policy = { clock: parts.clock, signal, policy: AFTER_A_MISTAKE, onFailure };
    await retry(() => tryOnce(parts, job, signal, meterOf), policy);
  } catch (error) {
    signal.throwIfAborted();
    parts.logger.error({ render_id, error }, 'a render fails because of an exception in its preparation');
    await tell(parts, job, E.left(INTERNAL_ERROR), signal);
  }
};

export type Preparations = {
  readonly takes: (account_id: string) => boolean;
  /** Both the log and the read model may name a render, so a second call for a running preparation is ignored. */
  readonly prepare: (job: PreparationJob, signal: AbortSignal) => Promise<void>;
  /** The cost counts as failed work, also if the preparation ended shortly before. */
  readonly cancel: (render: Render) => void;
  readonly backlog: Backlog;
};

type Held = {
  readonly signal: AbortSignal;
  readonly cancelled: AbortController;
  meter: WorkMeter | null;
};

export const openPreparations = (parts: PreparationsDependencies): Preparations => {
  const { windows, isHeldBack, waiting, owned, logger, clock, crash } = parts;
  const inMemory = new Map<string, Held>();
  const recent = new LRUCache<string, WorkCost>({ max: MAX_RECENT });
  const isInHand = (render_id: string): boolean =>
    inMemory.get(render_id)?.signal.aborted === false || recent.has(render_id);

  const release = (render_id: string, account_id: string, entry: Held): void => {
    if (inMemory.get(render_id) !== entry) return;
    inMemory.delete(render_id);
    windows.release(account_id);
  };

  const prepare = async (job: PreparationJob, signal: AbortSignal): Promise<void> => {
    const { id, account_id } = job.render;
    if (isInHand(id)) return;
    // A preparation from an earlier assignment of the partition is still ending.
    const before = inMemory.get(id);
    if (before !== undefined) release(id, account_id, before);
    if (!windows.hold(account_id)) return backlog.defer(account_id);
    const entry: Held = { signal, cancelled: new AbortController(), meter: null };
    const meterOf = (): WorkMeter => {
      entry.meter = workMeter();
      return entry.meter;
    };
    const over = (): void => void recent.set(id, entry.meter?.cost() ?? NO_COST);
    inMemory.set(id, entry);
    try {
      if (await isHeldBack(account_id)) return backlog.defer(account_id);
      await prepareWithRetries(parts, job, AbortSignal.any([signal, entry.cancelled.signal]), meterOf);
      over();
    } catch (error) {
      signal.throwIfAborted();
      if (entry.cancelled.signal.aborted) {
        over();
        logger.info({ render_id: id }, 'a preparation is stopped: its render was cancelled');
        return await parts.recordCost(job.render, entry.meter?.cost() ?? NO_COST);
      }
      // The render is not in `recent`, so the backlog finds it again within minutes.
      logger.error({ render_id: id, error }, 'the outcome of a preparation could not be appended; the render waits');
    } finally {
      release(id, account_id, entry);
    }
  };

  const cancel = (render: Render): void => {
    const entry = inMemory.get(render.id);
    entry?.cancelled.abort();
    const cost = entry === undefined ? recent.get(render.id) : undefined;
    if (cost !== undefined) void parts.recordCost(render, cost);
  };

  const backlog = openBacklog({
    ...{ renders: waiting, windows, isHeldBack, isInHand, owned, logger, clock, crash },
    prepare: async ({ render, causation_id }, signal) => await prepare({ render, causation_id, headers: {} }, signal),
  });

  return {
    prepare,
    cancel,
    backlog,
    takes: (account_id) => {
      if (!backlog.has(account_id) && windows.roomOf(account_id) > 0) return true;
      backlog.defer(account_id);
      return false;
    },
  };
};

export const startPreparer = async (parts: PreparerDependencies): Promise<Preparer> => {
  let following: JobConsumer | null = null;
  const preparations = openPreparations({ ...parts, owned: () => following?.owned() ?? new Map() });

  following = await startJobConsumer({
    ...parts,
    group: 'preparer',
    topic: 'render-status',
    // Start jobs at once: the windows limit their number, and each job waits for a slot.
    queue: { add: ({ run }) => void run() },
    jobOf: (record, source) => {
      if (record.type !== 'RenderFactAccepted' || record.transition === null) return null;
      const { render, meta, transition } = record;
      if (transition.to === 'failed' && isCancelled(render)) preparations.cancel(render);
      if (transition.to !== 'initializing') return null;
      const { account_id } = render;
      if (!preparations.takes(account_id)) return null;
      const job = { render, causation_id: meta.causation_id, headers: traceHeaders(source.headers) };
      return { account_id, run: (signal) => preparations.prepare(job, signal) };
    },
  });
  const { stop } = following;
  const { backlog } = preparations;
  return {
    remaining: backlog.accounts,
    stop: async () => {
      await backlog.stop();
      await stop();
    },
  };
};
