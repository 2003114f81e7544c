import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import { retry } from '../../platform/process/retry.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import { createEndpointHealthTracker, type EndpointHealthTracker } from './endpoint-faults.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { attemptOf, isGone, outcomeOf, skippedOutcome } from './outcome.ts';
import type { EndpointQueueDependencies } from './parts.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import type { QueueTable } from './queue-table.ts';
import { type QueuedDelivery, queuedDelivery } from './queued-delivery.ts';
import type { ScheduledAttempt, Scheduler } from './scheduler.ts';

export type AttemptRunner = {
  readonly begin: (queue: EndpointQueue, queued: QueuedDelivery) => void;
  readonly unrecorded: () => number;
  /** Running attempts get `grace_ms` to end, and their outcomes then `record_grace_ms` to be stored. */
  readonly stop: (grace_ms: number, record_grace_ms: number) => Promise<void>;
};

export type AttemptRunnerDependencies = EndpointQueueDependencies & {
  readonly table: QueueTable;
  readonly scheduler: Scheduler;
  readonly isAssigned: (partition: number) => boolean;
  readonly isErased: (render_id: string) => boolean;
  readonly onChange: (queues: Iterable<EndpointQueue>) => void;
};

const TRY_AGAIN_MS = 1_000;

export const retryUntilStored = <A>(
  { clock, warn }: Pick<EndpointQueueDependencies, 'clock' | 'warn'>,
  stop: AbortSignal,
  failure: string,
  work: () => Promise<A>,
): Promise<A> =>
  retry(() => rejectOnAbort(stop, work()), {
    clock,
    signal: stop,
    policy: () => TRY_AGAIN_MS,
    onFailure: (error) => warn({ reason: messageOf(error) }, failure),
  });

const deliveryAfter = (
  delivery: WebhookDeliveryDocument,
  { attempt, result }: DeliveryOutcome,
): WebhookDeliveryDocument | null => {
  if (result.tag !== 'retry') return null;
  const attempts = attempt === null ? delivery.attempts : [...delivery.attempts, attempt];
  return { ...delivery, attempts, waiting: result.waiting };
};

/** `counts` is false if another process stored an outcome first. */
type StoredOutcome =
  | { readonly tag: 'pending'; readonly delivery: WebhookDeliveryDocument; readonly counts: boolean }
  | { readonly tag: 'ended'; readonly counts: boolean }
  /** The state is unknown, because `stop` aborted first or the store lost the delivery. The log then plans it again. */
  | { readonly tag: 'unknown' };

const storeOutcome = async (
  parts: Pick<EndpointQueueDependencies, 'store' | 'recorder' | 'clock' | 'warn'>,
  delivery: WebhookDeliveryDocument,
  outcome: DeliveryOutcome,
  stop: AbortSignal,
): Promise<StoredOutcome> => {
  try {
    const counts = await retryUntilStored(parts, stop, 'the outcome of a delivery is not recorded yet', () =>
      parts.recorder.record(delivery, outcome, stop),
    );
    const now = counts
      ? deliveryAfter(delivery, outcome)
      : await retryUntilStored(parts, stop, 'a delivery cannot be read yet', () => parts.store.delivery(delivery._id));
    if (!counts && now === null) return { tag: 'unknown' };
    return now?.state === 'pending' ? { tag: 'pending', delivery: now, counts } : { tag: 'ended', counts };
  } catch {
    return { tag: 'unknown' };
  }
};

type AttemptResult = { readonly outcome: DeliveryOutcome; readonly endpoint: WebhookEndpoint | null } | null;

/** The three stages of a stop: no new request begins; running requests are cut off; outcomes are no longer stored. */
type Stops = { readonly begin: AbortController; readonly request: AbortController; readonly record: AbortController };

const makeAttempt = async (
  parts: AttemptRunnerDependencies,
  { faults, stops }: { readonly faults: EndpointHealthTracker; readonly stops: Stops },
  queue: EndpointQueue,
  queued: QueuedDelivery,
  scheduled: ScheduledAttempt,
): Promise<AttemptResult> => {
  const { clock, settings, table } = parts;
  if (parts.isErased(queued.delivery.render_id)) return { outcome: skippedOutcome(queued, 'erased'), endpoint: null };
  const prepared = await prepareAttempt(parts, queued, faults.isDisabledHere, stops.begin.signal);
  if (stops.begin.signal.aborted || !parts.isAssigned(queue.partition)) return null;
  if (prepared.tag === 'skip') return { outcome: skippedOutcome(queued, prepared.reason), endpoint: null };
  if (prepared.tag === 'later') {
    table.apply(queue, { tag: 'attempt_postponed', until: clock.now() + prepared.wait_ms });
    return null;
  }
  const { endpoint, body, headers } = prepared;
  const started_at = clock.now();
  const request = { url: endpoint.url, headers, body, timeout_ms: settings.attempt_timeout_ms };
  const result = await parts.post({ ...request, signal: stops.request.signal });
  if (result.tag === 'failed' && result.code === 'stopped') return null;
  const attempt = attemptOf(queued.delivery.attempts.length + 1, started_at, result);
  const { succeeded, duration_ms } = attempt;
  scheduled.end({ succeeded, answered: result.tag === 'answered', duration_ms });
  parts.on_attempt(queued.delivery, attempt, Math.max(0, started_at - queued.due_at));
  // Not awaited. If a crash loses the change, the next delivery gets 410 again.
  if (isGone(result)) void faults.gone(endpoint);
  const outcome = outcomeOf(queued, attempt, result, settings.schedule, clock.now(), parts.random());
  return { outcome, endpoint };
};

/**
 * Notes how the delivery ended. This is not awaited: the health only decides whether the endpoint is disabled later.
 */
const noteHealth = (
  faults: EndpointHealthTracker,
  { result }: DeliveryOutcome,
  endpoint: WebhookEndpoint | null,
): void => {
  if (endpoint === null) return;
  if (result.tag === 'succeeded') void faults.succeeded(endpoint.id);
  if (result.tag === 'exhausted' && result.reason !== 'gone') void faults.exhausted(endpoint);
};

export const createAttemptRunner = (parts: AttemptRunnerDependencies): AttemptRunner => {
  const { clock, table, scheduler } = parts;
  const stops: Stops = { begin: new AbortController(), request: new AbortController(), record: new AbortController() };
  const faults = createEndpointHealthTracker(parts, stops.record.signal);
  const under_way = new Set<Promise<void>>();
  let unrecorded = 0;

  /**
   * Puts a delivery back into its queue. If the partition was revoked, its new owner finds the delivery in the store.
   */
  const putBack = (queue: EndpointQueue, queued: QueuedDelivery | null): void => {
    if (queued !== null && parts.isAssigned(queue.partition)) table.offer(queue, queued);
  };

  const run = async (queue: EndpointQueue, queued: QueuedDelivery): Promise<void> => {
    const { delivery } = queued;
    const scheduled = scheduler.begin(queue);
    const close = (): void => {
      scheduled.close();
      table.apply(queue, { tag: 'attempt_closed', delivery_id: delivery._id });
    };
    const result = await makeAttempt(parts, { faults, stops }, queue, queued, scheduled);
    table.apply(queue, { tag: 'attempt_ended', delivery_id: delivery._id });
    scheduled.end(null);
    if (result === null) {
      close();
      putBack(queue, queued);
      return;
    }
    unrecorded += 1;
    parts.onChange([queue]);
    const stored = await storeOutcome(parts, delivery, result.outcome, stops.record.signal);
    unrecorded -= 1;
    close();
    if (stored.tag === 'unknown') return;
    table.noteStored(
      delivery._id,
      stored.tag === 'pending' ? stored.delivery.attempts.length : Number.POSITIVE_INFINITY,
    );
    if (stored.tag === 'pending') putBack(queue, queuedDelivery(stored.delivery));
    if (stored.counts) noteHealth(faults, result.outcome, result.endpoint);
  };

  return {
    begin: (queue, queued) => {
      table.apply(queue, { tag: 'attempt_begun', queued });
      const running = run(queue, queued)
        .finally(() => {
          under_way.delete(running);
          parts.onChange([queue]);
        })
        .catch(parts.crash);
      under_way.add(running);
    },
    unrecorded: () => unrecorded,
    stop: async (grace_ms, record_grace_ms) => {
      stops.begin.abort();
      const has_ended = new AbortController();
      const ended = Promise.all(under_way).finally(() => has_ended.abort());
      const waitFor = (ms: number): Promise<void> => clock.sleep(ms, has_ended.signal).catch(() => undefined);
      await waitFor(grace_ms);
      stops.request.abort();
      await waitFor(record_grace_ms);
      stops.record.abort();
      await ended;
    },
  };
};
