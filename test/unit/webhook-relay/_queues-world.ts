import * as E from 'fp-ts/lib/Either.js';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import type { PostResult } from '../../../platform/outbound/post-result.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../../read-models/deliveries/outcome.ts';
import { queuePositionText } from '../../../read-models/deliveries/waiting.ts';
import { createEndpointQueues } from '../../../webhook-relay/queues/endpoint-queues.ts';
import type { EndpointQueueDependencies, QueueSettings } from '../../../webhook-relay/queues/parts.ts';
import type { QueueClock } from '../../../webhook-relay/queues/wakes.ts';

export const START = 1_700_000_000_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that a test advances. */
export type TestClock = QueueClock & {
  /** Runs all pending work without advancing the time. */
  readonly rest: () => Promise<void>;
  /** Advances from timer to timer until `isDone`. @returns false if `within_ms` passed first */
  readonly until: (isDone: () => boolean, within_ms: number) => Promise<boolean>;
};

type Timer = { readonly at: number; readonly order: number; readonly run: () => void };

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export const testClock = (start: number = START): TestClock => {
  let now = start;
  let order = 0;
  const timers: Timer[] = [];
  const off = new Set<Timer>();
  const swap = (a: number, b: number): void => {
    const [x, y] = [timers[a], timers[b]];
    if (x === undefined || y === undefined) return;
    timers[a] = y;
    timers[b] = x;
  };
  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [timers[a], timers[b]];
    return x !== undefined && y !== undefined && before(x, y);
  };
  const pop = (): Timer | undefined => {
    const [first] = timers;
    const last = timers.pop();
    if (last === undefined || timers.length === 0) return first;
    timers[0] = last;
    for (let i = 0; ; ) {
      const least = [2 * i + 1, 2 * i + 2].reduce((found, child) => (isBefore(child, found) ? child : found), i);
      if (least === i) return first;
      swap(i, least);
      i = least;
    }
  };
  const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const after: QueueClock['after'] = (wait_ms, run) => {
    if (wait_ms < 0 || wait_ms > LONGEST_TIMER_MS) throw new Error(`a timer of ${wait_ms} ms`);
    order += 1;
    const timer: Timer = { at: now + wait_ms, order, run };
    timers.push(timer);
    for (let i = timers.length - 1; i > 0 && isBefore(i, (i - 1) >> 1); i = (i - 1) >> 1) swap(i, (i - 1) >> 1);
    return () => void off.add(timer);
  };
  return {
    now: () => now,
    after,
    sleep: (wait_ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = after(wait_ms, resolve);
      const end = (): void => {
        cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end, { once: true });
      return promise.finally(() => signal?.removeEventListener('abort', end));
    },
    rest,
    until: async (isDone, within_ms) => {
      const end = now + within_ms;
      for (;;) {
        await rest();
        if (isDone()) return true;
        const [next] = timers;
        if (next === undefined || next.at > end) {
          now = end;
          return isDone();
        }
        const timer = pop();
        if (timer === undefined || off.delete(timer)) continue;
        now = Math.max(now, timer.at);
        timer.run();
        // Timers of the same moment run together.
        while (timers[0] !== undefined && timers[0].at <= now) {
          const other = pop();
          if (other !== undefined && !off.delete(other)) other.run();
        }
      }
    },
  };
};

export const endpointNamed = (id: string, more: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  kind: 'webhook_endpoint',
  id,
  team_id: 'team_1',
  url: `https://${id}.example/hook`,
  created_at: 1,
  subscriptions: [{ since: 1, events: ['render.status_changed'] }],
  disabled: [],
  secret: `sealed-${id}`,
  next_secret: null,
  deleted_at: null,
  ...more,
});

export type Planned = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly partition?: number;
  readonly render_id?: string;
  readonly seq?: number;
  readonly event?: WebhookDeliveryDocument['event'];
  readonly planned_at?: number;
  readonly order?: number;
  readonly repeats?: string | null;
};

let orders = 0;

export const plannedDelivery = (planned: Planned): WebhookDeliveryDocument => {
  const { id, endpoint_id, partition = 0, render_id = `rend_${id}`, seq = 1, repeats = null } = planned;
  const { planned_at = START, event = 'render.status_changed' } = planned;
  orders += 1;
  const { order = orders } = planned;
  return {
    _id: id,
    endpoint_id,
    team_id: 'team_1',
    render_id,
    seq,
    event,
    partition,
    status_offset: order,
    repeats,
    repeated_by: null,
    planned_at,
    state: 'pending',
    reason: null,
    body: JSON.stringify({ id }),
    body_sha256: 'x',
    timestamp: planned_at,
    attempts: [],
    waiting: queuePositionText({ partition, endpoint_id, due_at: planned_at, order }),
    by_endpoint: `${endpoint_id}/${planned_at}${id}`,
    ended_at: null,
  };
};

/** One request and its end. */
export type Dialled = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly began: number;
  /** The number of the attempt, from the stored attempts at its start. */
  readonly n: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  ended: number | null;
};

export type Answer =
  | { readonly status: number; readonly after_ms: number; readonly retry_after?: string }
  | { readonly fails: 'timeout' | 'connection_refused'; readonly after_ms: number };

const resultOf = (answer: Answer): PostResult => {
  const duration_ms = answer.after_ms;
  if ('fails' in answer) return { tag: 'failed', code: answer.fails, message: 'it failed', status: null, duration_ms };
  const { status, retry_after = null } = answer;
  return { tag: 'answered', status, retry_after, response: Buffer.from('seen'), duration_ms };
};

export const SETTINGS: QueueSettings = {
  schedule: { first_ms: 1_000, factor: 5 },
  attempt_timeout_ms: 15_000,
  attempts_at_once: 256,
  attempts_per_endpoint: 8,
  disable_after_s: 259_200,
};

export type WorldOptions = {
  readonly clock?: TestClock;
  /** The answer to attempt `n` of a delivery, from 1. */
  readonly answer?: (delivery: WebhookDeliveryDocument, n: number, now: number) => Answer;
  readonly settings?: Partial<QueueSettings>;
  readonly limits?: { readonly max_in_memory: number; readonly max_in_memory_per_queue: number };
  readonly random?: () => number;
  /** The latency of the store, which fails while this throws. */
  readonly store_ms?: () => number;
  readonly parts?: Partial<EndpointQueueDependencies>;
};

/** The state that all relays share, in memory. */
export type TestStore = ReturnType<typeof testStore>;

const queuePositionOf = (delivery: WebhookDeliveryDocument): string => delivery.waiting?.split('/')[2] ?? '';

export const testStore = (clock: TestClock, takes_ms: () => number = () => 1) => {
  const documents = new Map<string, WebhookDeliveryDocument>();
  /** Pending deliveries by queue, in order; null after a change. */
  const queues = new Map<string, WebhookDeliveryDocument[] | null>();
  const sets = new Map<string, Map<string, WebhookDeliveryDocument>>();
  const counts = { pages: 0, documents: 0, pending: 0, recorded: 0 };
  const nameOf = ({ partition, endpoint_id }: WebhookDeliveryDocument): string => `${partition}/${endpoint_id}`;
  const put = (delivery: WebhookDeliveryDocument): void => {
    const was = documents.get(delivery._id);
    const name = nameOf(delivery);
    const of_lane = sets.get(name) ?? new Map<string, WebhookDeliveryDocument>();
    sets.set(name, of_lane);
    if (was?.state === 'pending') counts.pending -= 1;
    if (delivery.state === 'pending') {
      counts.pending += 1;
      of_lane.set(delivery._id, delivery);
    } else of_lane.delete(delivery._id);
    documents.set(delivery._id, delivery);
    queues.set(name, null);
  };
  const inOrder = (name: string): readonly WebhookDeliveryDocument[] => {
    const known = queues.get(name);
    if (known !== null && known !== undefined) return known;
    const sorted = [...(sets.get(name)?.values() ?? [])].sort((a, b) =>
      queuePositionOf(a) < queuePositionOf(b) ? -1 : 1,
    );
    queues.set(name, sorted);
    return sorted;
  };
  const takes = (): Promise<void> => {
    const wait_ms = takes_ms();
    return new Promise((resolve) => clock.after(wait_ms, resolve));
  };
  const stateOf = (outcome: DeliveryOutcome): WebhookDeliveryDocument['state'] =>
    outcome.result.tag === 'retry' ? 'pending' : outcome.result.tag;
  return {
    documents,
    counts,
    put,
    waiting: async function* (partition: number) {
      await takes();
      for (const [name, of_lane] of sets) {
        if (!name.startsWith(`${partition}/`)) continue;
        for (const delivery of [...of_lane.values()])
          yield { endpoint_id: delivery.endpoint_id, due_at: Number(queuePositionOf(delivery).slice(0, 13)) };
      }
    },
    due: async (partition: number, endpoint_id: string, due_before: number, limit: number, from_position = '') => {
      await takes();
      const until = String(due_before).padStart(13, '0');
      const found: WebhookDeliveryDocument[] = [];
      for (const delivery of inOrder(`${partition}/${endpoint_id}`)) {
        const position = queuePositionOf(delivery);
        if (position >= until || found.length >= limit) break;
        if (position >= from_position) found.push(delivery);
      }
      counts.pages += 1;
      counts.documents += found.length;
      // The answer takes time: the deliveries in it may be outdated when it arrives.
      await takes();
      return found;
    },
    delivery: async (id: string) => {
      await takes();
      return documents.get(id) ?? null;
    },
    record: async (outcome: DeliveryOutcome) => {
      await takes();
      const delivery = documents.get(outcome.delivery_id);
      if (delivery?.state !== 'pending' || delivery.attempts.length !== outcome.attempts_before) return false;
      const { waiting: _, ...rest } = delivery;
      const attempts = outcome.attempt === null ? delivery.attempts : [...delivery.attempts, outcome.attempt];
      const waiting = outcome.result.tag === 'retry' ? { waiting: outcome.result.waiting } : {};
      put({ ...rest, ...waiting, attempts, state: stateOf(outcome) });
      counts.recorded += 1;
      await takes();
      return true;
    },
  };
};

type PostParts = {
  readonly clock: TestClock;
  readonly store: TestStore;
  readonly answer: NonNullable<WorldOptions['answer']>;
  readonly dialled: Dialled[];
};

/** Notes each request and answers it after the time of its answer. */
const postTo =
  ({ clock, store, answer, dialled }: PostParts): EndpointQueueDependencies['post'] =>
  (request) => {
    const { id } = JSON.parse(request.body.toString()) as { readonly id: string };
    const delivery = store.documents.get(id);
    if (delivery === undefined) throw new Error(`${id} is not stored`);
    const n = delivery.attempts.length + 1;
    const dial: Dialled = {
      ...{ id, endpoint_id: delivery.endpoint_id, began: clock.now(), n },
      ...{ headers: request.headers, body: request.body.toString(), ended: null },
    };
    dialled.push(dial);
    const answered = answer(delivery, n, clock.now());
    return new Promise((resolve) => {
      const end = (result: PostResult): void => {
        cancel();
        request.signal.removeEventListener('abort', cut);
        dial.ended = clock.now();
        resolve(result);
      };
      const cut = (): void => {
        const duration_ms = clock.now() - dial.began;
        end({ tag: 'failed', code: 'stopped', message: 'stopped', status: null, duration_ms });
      };
      const cancel = clock.after(answered.after_ms, () => end(resultOf(answered)));
      request.signal.addEventListener('abort', cut, { once: true });
    });
  };

/** Queues with a test clock, a store in memory and made-up endpoints. */
export const queuesWorld = (options: WorldOptions = {}, shared?: TestStore) => {
  const { answer = () => ({ status: 200, after_ms: 10 }), random = () => 0.5 } = options;
  const clock = options.clock ?? testClock();
  const store = shared ?? testStore(clock, options.store_ms);
  const endpoints = new Map<string, WebhookEndpoint>();
  const dialled: Dialled[] = [];
  const warnings: string[] = [];
  const crashes: unknown[] = [];
  const problems = new Map<string, string>();
  const disabled: { readonly endpoint_id: string; readonly reason: string }[] = [];
  const health = new Map<string, { failing_since: number; exhausted: number }>();

  const queues = createEndpointQueues(
    {
      settings: { ...SETTINGS, ...options.settings },
      store,
      directory: { endpoint: async (id) => endpoints.get(id) ?? endpointNamed(id) },
      recorder: { record: (_delivery, outcome) => store.record(outcome) },
      health: {
        exhausted: async (id, at) => {
          const { failing_since = at, exhausted = 0 } = health.get(id) ?? {};
          health.set(id, { failing_since, exhausted: exhausted + 1 });
          return { _id: id, failing_since, exhausted: exhausted + 1 };
        },
        clear: async (id) => void health.delete(id),
        hasSucceededSince: async () => false,
      },
      disable: async ({ id }, reason) => void disabled.push({ endpoint_id: id, reason }),
      openSecret: async (_id, sealed) => E.right(`whsec_${Buffer.from(sealed).toString('base64')}`),
      post: postTo({ clock, store, answer, dialled }),
      clock,
      random,
      readiness: {
        set: (name, problem) => void (problem === null ? problems.delete(name) : problems.set(name, problem)),
      },
      warn: (_details, message) => void warnings.push(message),
      crash: (error) => void crashes.push(error),
      on_attempt: () => undefined,
      ...options.parts,
    },
    options.limits,
  );
  return {
    ...{ clock, store, queues, endpoints, dialled, warnings, crashes, problems, disabled, health },
    /** Stores deliveries and offers them, as the planner does. */
    plan: (deliveries: readonly WebhookDeliveryDocument[]): void => {
      for (const delivery of deliveries) store.put(delivery);
      for (const [partition, its] of Map.groupBy(deliveries, (delivery) => delivery.partition))
        queues.offer(partition, its);
    },
    isDone: (): boolean => store.counts.pending === 0 || crashes.length > 0,
  };
};
