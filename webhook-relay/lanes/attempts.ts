import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import { createEndpointFaults } from './endpoint-faults.ts';
import { type HeldDelivery, heldDelivery } from './held-delivery.ts';
import type { Lane, UnderWay } from './lane.ts';
import type { LaneMemory } from './lane-memory.ts';
import { attemptOf, outcomeOf, saysGone, skipped } from './outcome.ts';
import type { LanesParts } from './parts.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import { pause, settle } from './settlement.ts';
import type { Turn, Turns } from './turns.ts';

/** Attempts under way, and outcomes that are not stored yet. */
export type Attempts = {
  /** The delivery was taken out of the queue of its lane. */
  readonly begin: (lane: Lane, held: HeldDelivery) => void;
  /** How many outcomes are not stored yet. */
  readonly unrecorded: () => number;
  /** Nothing is begun any more: what is under way has `grace_ms` to end, then its outcome `record_grace_ms`. */
  readonly stop: (grace_ms: number, record_grace_ms: number) => Promise<void>;
};

export type AttemptsParts = LanesParts & {
  readonly memory: LaneMemory;
  readonly turns: Turns;
  readonly isHeld: (partition: number) => boolean;
  readonly look: (lanes: Iterable<Lane>) => void;
};

/** What an attempt came to. Null: it was not made, and nothing is known of the delivery that was not known before. */
type Made = { readonly outcome: Outcome; readonly endpoint: WebhookEndpoint | null } | null;

export const createAttempts = (parts: AttemptsParts): Attempts => {
  const { clock, memory, turns, settings } = parts;
  /** No attempt is dialled any more; those under way are cut off; outcomes are recorded no longer. */
  const [stopping, cutting, closing] = [new AbortController(), new AbortController(), new AbortController()];
  const faults = createEndpointFaults(parts, closing.signal);
  const all = new Set<Promise<void>>();
  let unrecorded = 0;

  const make = async (lane: Lane, held: HeldDelivery, turn: Turn): Promise<Made> => {
    const prepared = await prepareAttempt(parts, held, faults.isDisabledHere, stopping.signal);
    if (stopping.signal.aborted || !parts.isHeld(lane.partition)) return null;
    if (prepared.tag === 'skip') return { outcome: skipped(held, prepared.reason), endpoint: null };
    if (prepared.tag === 'later') {
      lane.begin_not_before = clock.now() + prepared.wait_ms;
      return null;
    }
    const { endpoint, body, headers } = prepared;
    const started_at = clock.now();
    const request = { url: endpoint.url, headers, body, timeout_ms: settings.attempt_timeout_ms };
    const result = await parts.post({ ...request, signal: cutting.signal });
    if (result.tag === 'failed' && result.code === 'stopped') return null;
    const attempt = attemptOf(held.delivery.attempts.length + 1, started_at, result);
    const { succeeded, duration_ms } = attempt;
    turn.end({ succeeded, answered: result.tag === 'answered', duration_ms });
    parts.on_attempt(held.delivery, attempt, Math.max(0, started_at - held.due_at));
    // Not waited for: whoever is killed before it is in the log is told again by the next delivery.
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

  /** Back into its lane, if that is still ours: else whoever has it finds the delivery in the store. */
  const putBack = (lane: Lane, held: HeldDelivery | null): void => {
    if (held !== null && parts.isHeld(lane.partition)) memory.offer(lane, held);
  };

  const run = async (lane: Lane, held: HeldDelivery, under_way: UnderWay): Promise<void> => {
    const { delivery } = held;
    const turn = turns.begin(lane);
    const made = await make(lane, held, turn);
    under_way.dialled = true;
    turn.end(null);
    if (made === null) {
      turn.settle();
      lane.under_way.delete(delivery._id);
      putBack(lane, held);
      return;
    }
    unrecorded += 1;
    parts.look([lane]);
    const settled = await settle(parts, delivery, made.outcome, closing.signal);
    unrecorded -= 1;
    turn.settle();
    lane.under_way.delete(delivery._id);
    if (settled.tag === 'unknown') return;
    memory.settle(delivery._id, settled.tag === 'open' ? settled.delivery.attempts.length : Number.POSITIVE_INFINITY);
    if (settled.tag === 'open') putBack(lane, heldDelivery(settled.delivery));
    if (settled.counts) note(made.outcome, made.endpoint);
  };

  return {
    begin: (lane, held) => {
      const under_way: UnderWay = { held, dialled: false };
      lane.under_way.set(held.delivery._id, under_way);
      const running = run(lane, held, under_way)
        .finally(() => {
          all.delete(running);
          parts.look([lane]);
        })
        .catch(parts.crash);
      all.add(running);
    },
    unrecorded: () => unrecorded,
    stop: async (grace_ms, record_grace_ms) => {
      stopping.abort();
      const has_ended = new AbortController();
      const ended = Promise.all(all).finally(() => has_ended.abort());
      await pause(clock, grace_ms, has_ended.signal);
      cutting.abort();
      await pause(clock, record_grace_ms, has_ended.signal);
      closing.abort();
      await ended;
    },
  };
};
