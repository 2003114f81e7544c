import test from 'ava';
import fc from 'fast-check';
import { rescheduledPosition } from '../../../../read-models/deliveries/waiting.ts';
import {
  countPending,
  type DuePage,
  EMPTY_QUEUE,
  nextDeliveryOf,
  type QueueEvent,
  type QueueState,
  queueAfter,
  remainingSeconds,
  wantedPageSize,
} from '../../../../webhook-relay/queues/endpoint-queue.ts';
import { type QueuedDelivery, queuedDelivery, secondOf } from '../../../../webhook-relay/queues/queued-delivery.ts';
import { plannedDelivery, START } from '../_queues-world.ts';

const FURTHEST_MS = 600_000;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      tag: fc.constant('offer' as const),
      render: fc.integer({ min: 0, max: 3 }),
      due_in_ms: fc.integer({ min: 0, max: 9_000 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ tag: fc.constant('begin' as const) }) },
  { weight: 4, arbitrary: fc.record({ tag: fc.constant('end' as const), at: fc.nat(), retries: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ tag: fc.constant('read' as const), fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ tag: fc.constant('trim' as const), max: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ tag: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4_000 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One queue with its store, and a shell that does what the queue asks for. */
type World = {
  readonly store: Map<string, QueuedDelivery>;
  /** By render, the last transition. */
  readonly seqs: Map<number, number>;
  readonly begun: QueuedDelivery[];
  /** First attempts that began while another attempt of their render was under way. */
  readonly overlapping: string[];
  state: QueueState;
  now: number;
  max: number;
  orders: number;
  /** Within a partition due times of plans never decrease. */
  last_due_at: number;
};

const newWorld = (): World => ({
  ...{ store: new Map(), seqs: new Map(), begun: [], overlapping: [] },
  ...{ state: EMPTY_QUEUE, now: START, max: 5, orders: 0, last_due_at: 0 },
});

const momentOf = ({ now }: World) => ({ now, furthest_ms: FURTHEST_MS });

const apply = (world: World, event: QueueEvent) => {
  const [next, actions] = queueAfter(world.state, event);
  world.state = next;
  return actions;
};

const offer = (world: World, queued: QueuedDelivery): boolean => {
  const { state, max } = world;
  const { _id } = queued.delivery;
  if (state.under_way.has(_id) || state.waiting.some(({ delivery }) => delivery._id === _id)) return false;
  apply(world, { tag: 'offered', queued, max });
  return true;
};

const plan = (world: World, render: number, due_in_ms: number): void => {
  world.orders += 1;
  world.last_due_at = Math.max(world.last_due_at, world.now + due_in_ms);
  const { store, seqs, orders: order, last_due_at: planned_at } = world;
  const seq = (seqs.get(render) ?? 0) + 1;
  seqs.set(render, seq);
  const planned = { id: `hook_${order}`, endpoint_id: 'whe_1', render_id: `rend_${render}`, seq, order };
  const queued = queuedDelivery(plannedDelivery({ ...planned, planned_at }));
  if (queued === null) throw new Error('a planned delivery waits');
  store.set(queued.delivery._id, queued);
  offer(world, queued);
};

const begin = (world: World): void => {
  const { state, begun, overlapping } = world;
  const next = nextDeliveryOf(state, momentOf(world));
  if (next.begin === null) return;
  const { render_id, attempts } = next.begin.delivery;
  const overlaps = [...state.under_way.values()].some(
    ({ queued: { delivery }, has_ended }) =>
      !has_ended && delivery.render_id === render_id && delivery.attempts.length === 0,
  );
  if (attempts.length === 0 && overlaps) overlapping.push(next.begin.delivery._id);
  begun.push(next.begin);
  apply(world, { tag: 'attempt_begun', queued: next.begin });
};

const afterFailure = ({ now }: World, { delivery }: QueuedDelivery): QueuedDelivery | null => {
  const attempt = {
    ...{ n: 1, started_at: now, duration_ms: 1, succeeded: false, status: 500, fault: null, response: null },
  };
  const waiting = rescheduledPosition(delivery.waiting, now + 3_000);
  return queuedDelivery({ ...delivery, attempts: [...delivery.attempts, attempt], waiting });
};

const end = (world: World, at: number, retries: boolean): void => {
  const { store } = world;
  const ids = [...world.state.under_way.keys()];
  const id = ids[at % Math.max(1, ids.length)];
  const queued = id === undefined ? undefined : store.get(id);
  if (id === undefined || queued === undefined) return;
  apply(world, { tag: 'attempt_ended', delivery_id: id });
  const again = retries ? afterFailure(world, queued) : null;
  if (again === null) store.delete(id);
  else store.set(id, again);
  apply(world, { tag: 'attempt_closed', delivery_id: id });
  if (again !== null) offer(world, again);
};

type PageRequest = {
  readonly page: DuePage;
  readonly from_position: string;
  readonly due_before: number;
  readonly limit: number;
};

const readPage = (world: World, { page, from_position, due_before, limit }: PageRequest): void => {
  const found = [...world.store.values()]
    .filter(({ position, due_at }) => position >= from_position && due_at < due_before)
    .sort((a, b) => (a.position < b.position ? -1 : 1))
    .slice(0, limit);
  apply(world, { tag: 'page_read' });
  const added = found.filter((queued) => offer(world, queued));
  const last = found.length < limit ? null : (found.at(-1)?.position ?? null);
  apply(world, { tag: 'found_in_store', seconds: remainingSeconds(page, last, added) });
};

const read = (world: World, fails: boolean): void => {
  const { now } = world;
  const wanted = wantedPageSize(world.state, momentOf(world), world.max);
  if (wanted === 0) return;
  for (const request of apply(world, { tag: 'page_wanted', wanted, until: secondOf(now) }))
    if (fails) apply(world, { tag: 'page_failed', retry_at: now + 1_000 });
    else readPage(world, request);
};

const take = (world: World, one: Step): void => {
  if (one.tag === 'offer') plan(world, one.render, one.due_in_ms);
  else if (one.tag === 'begin') begin(world);
  else if (one.tag === 'end') end(world, one.at, one.retries);
  else if (one.tag === 'read') read(world, one.fails);
  else if (one.tag === 'trim') {
    world.max = one.max;
    apply(world, { tag: 'trimmed', max: one.max });
  } else world.now += one.ms;
};

/** Pending deliveries that are neither in memory nor covered by a second of the store. */
const lost = ({ state, store }: World): readonly string[] => {
  const { waiting, under_way, stored } = state;
  const in_memory = new Set([...waiting.map(({ delivery }) => delivery._id), ...under_way.keys()]);
  return [...store.values()].flatMap(({ delivery, due_at, position }) => {
    const second = stored.seconds.find((one) => one.second === secondOf(due_at));
    const is_stored = second !== undefined && second.first_position <= position;
    return in_memory.has(delivery._id) || is_stored ? [] : [delivery._id];
  });
};

/** First attempts that began before the first attempt of a former transition of their render. */
const outOfOrder = ({ begun }: World): readonly string[] => {
  const firsts = begun.filter(({ delivery }) => delivery.attempts.length === 0).map(({ delivery }) => delivery);
  return firsts.flatMap(({ _id, render_id, seq }, i) =>
    firsts.slice(0, i).some((other) => other.render_id === render_id && other.seq > seq) ? [_id] : [],
  );
};

test('a queue loses no delivery, keeps its limit and the order of each render', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const world = newWorld();
      for (const one of steps) {
        take(world, one);
        const { waiting, under_way, stored } = world.state;
        t.deepEqual(lost(world), []);
        t.true(waiting.length <= world.max);
        t.deepEqual(
          waiting.map(({ position }) => position),
          waiting.map(({ position }) => position).sort(),
        );
        t.false(waiting.some(({ delivery }) => under_way.has(delivery._id)));
        t.deepEqual(
          stored.seconds.map(({ second }) => second),
          [...new Set(stored.seconds.map(({ second }) => second))].sort((a, b) => a - b),
        );
        t.true(countPending(world.state) >= world.store.size);
      }
      for (let turn = 0; turn < 2_000 && world.store.size > 0; turn += 1)
        for (const tag of ['read', 'begin', 'end', 'wait'] as const)
          take(world, { tag, fails: false, at: turn, retries: false, ms: 500 } as Step);
      t.is(world.store.size, 0);
      t.deepEqual(outOfOrder(world), []);
      t.deepEqual(world.overlapping, []);
    }),
    { numRuns: 150 },
  );
});

test('a released queue keeps only running attempts', (t) => {
  const world = newWorld();
  take(world, { tag: 'offer', render: 0, due_in_ms: 0 });
  take(world, { tag: 'offer', render: 1, due_in_ms: 0 });
  take(world, { tag: 'begin' });
  const [state] = queueAfter(world.state, { tag: 'released' });
  t.deepEqual([...state.under_way.keys()], ['hook_1']);
  t.is(countPending(state), 1);
});
