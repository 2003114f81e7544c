import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import { createEndpointFaults } from './endpoint-faults.ts';
import type { EndpointQueue, UnderWay } from './endpoint-queue.ts';
import { type HeldDelivery, heldDelivery } from './held-delivery.ts';
import { attemptOf, outcomeOf, saysGone, skipped } from './outcome.ts';
import type { QueueParts } from './parts.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import type { QueueMemory } from './queue-memory.ts';
import type { ScheduledAttempt, Scheduler } from './scheduler.ts';
import { settle } from './settlement.ts';

/** Attempts under way, and outcomes that are not stored yet. */
export type Attempts = {
  /** The delivery was taken out of the queue of its queue. */
  readonly begin: (queue: EndpointQueue, held: HeldDelivery) => void;
  /** How many outcomes are not stored yet. */
  readonly unrecorded: () => number;
  /** Nothing is begun any more: what is under way has `grace_ms` to end, then its outcome `record_grace_ms`. */
  readonly stop: (grace_ms: number, record_grace_ms: number) => Promise<void>;
};

export type AttemptsParts = QueueParts & {
  readonly memory: QueueMemory;
  readonly scheduler: Scheduler;
  readonly isHeld: (partition: number) => boolean;
  readonly isErased: (render_id: string) => boolean;
  readonly look: (queues: Iterable<EndpointQueue>) => void;
};

/** What an attempt came to. Null: it was not made, and nothing is known of the delivery that was not known before. */
type Made = { readonly outcome: Outcome; readonly endpoint: WebhookEndpoint | null } | null;

export const createAttempts = (parts: AttemptsParts): Attempts => {
  const { clock, memory, scheduler, settings } = parts;
  /** No attempt is dialled any more; those under way are cut off; outcomes are recorded no longer. */
  const [stopping, cutting, closing] = [new AbortController(), new AbortController(), new AbortController()];
  const faults = createEndpointFaults(parts, closing.signal);
  const all = new Set<Promise<void>>();
  let unrecorded = 0;

  const make = async (queue: EndpointQueue, held: HeldDelivery, scheduled: ScheduledAttempt): Promise<Made> => {
    if (parts.isErased(held.delivery.render_id)) return { outcome: skipped(held, 'erased'), endpoint: null };
    const prepared = await prepareAttempt(parts, held, faults.isDisabledHere, stopping.signal);
    if (stopping.signal.aborted || !parts.isHeld(queue.partition)) return null;
    if (prepared.tag === 'skip') return { outcome: skipped(held, prepared.reason), endpoint: null };
    if (prepared.tag === 'later') {
      queue.begin_not_before = clock.now() + prepared.wait_ms;
      return null;
    }
    const { endpoint, body, headers } = prepared;
    const started_at = clock.now();
    const request = { url: endpoint.url, headers, body, timeout_ms: settings.attempt_timeout_ms };
    const result = await parts.post({ ...request, signal: cutting.signal });
    if (result.tag === 'failed' && result.code === 'stopped') return null;
    const attempt = attemptOf(held.delivery.attempts.length + 1, started_at, result);
    const { succeeded, duration_ms } = attempt;
    scheduled.end({ succeeded, answered: result.tag === 'answered', duration_ms });
    parts.on_attempt(held.delivery, attempt, Math.max(0, started_at - held.due_at));
    // Not waited for: after a crash before it is in the log, the next delivery finds out again.
    if (saysGone(result)) void faults.gone(endpoint);
    const outcome = outcomeOf(held, attempt, result, settings.schedule, clock.now(), parts.random());
    return { outcome, endpoint };
  };

  /** Keeps the health of the endpoint; not waited for. */
  const note = ({ result }: Outcome, endpoint: WebhookEndpoint | null): void => {
    if (endpoint === null) return;
    if (result.tag === 'succeeded') void faults.succeeded(endpoint.id);
    if (result.tag === 'exhausted' && result.reason !== 'gone') void faults.exhausted(endpoint);
  };

  /** Back into its queue, if that is still ours: else its owner finds the delivery in the store. */
  const putBack = (queue: EndpointQueue, held: HeldDelivery | null): void => {
    if (held !== null && parts.isHeld(queue.partition)) memory.offer(queue, held);
  };

  const run = async (queue: EndpointQueue, held: HeldDelivery, under_way: UnderWay): Promise<void> => {
    const { delivery } = held;
    const scheduled = scheduler.begin(queue);
    const made = await make(queue, held, scheduled);
    under_way.dialled = true;
    scheduled.end(null);
    if (made === null) {
      scheduled.settle();
      queue.under_way.delete(delivery._id);
      putBack(queue, held);
      return;
    }
    unrecorded += 1;
    parts.look([queue]);
    const settled = await settle(parts, delivery, made.outcome, closing.signal);
    unrecorded -= 1;
    scheduled.settle();
    queue.under_way.delete(delivery._id);
    if (settled.tag === 'unknown') return;
    memory.settle(delivery._id, settled.tag === 'open' ? settled.delivery.attempts.length : Number.POSITIVE_INFINITY);
    if (settled.tag === 'open') putBack(queue, heldDelivery(settled.delivery));
    if (settled.counts) note(made.outcome, made.endpoint);
  };

  return {
    begin: (queue, held) => {
      const under_way: UnderWay = { held, dialled: false };
      queue.under_way.set(held.delivery._id, under_way);
      const running = run(queue, held, under_way)
        .finally(() => {
          all.delete(running);
          parts.look([queue]);
        })
        .catch(parts.crash);
      all.add(running);
    },
    unrecorded: () => unrecorded,
    stop: async (grace_ms, record_grace_ms) => {
      stopping.abort();
      const has_ended = new AbortController();
      const ended = Promise.all(all).finally(() => has_ended.abort());
      const waitFor = (ms: number): Promise<void> => clock.sleep(ms, has_ended.signal).catch(() => undefined);
      await waitFor(grace_ms);
      cutting.abort();
      await waitFor(record_grace_ms);
      closing.abort();
      await ended;
    },
  };
};
