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
const world = () => {
  const store = new Map<string, QueuedDelivery>();
  const seqs = new Map<number, number>();
  const begun: QueuedDelivery[] = [];
  /** First attempts that began while another one of their render was under way. */
  const overlapping: string[] = [];
  let state: QueueState = EMPTY_QUEUE;
  let now = START;
  let max = 5;
  let orders = 0;
  /** Within a partition due times of plans never decrease. */
  let last_due_at = 0;
  const moment = () => ({ now, furthest_ms: FURTHEST_MS });

  const apply = (event: QueueEvent) => {
    const [next, actions] = queueAfter(state, event);
    state = next;
    return actions;
  };
  const offer = (queued: QueuedDelivery): boolean => {
    const { _id } = queued.delivery;
    if (state.under_way.has(_id) || state.waiting.some(({ delivery }) => delivery._id === _id)) return false;
    apply({ tag: 'offered', queued, max });
    return true;
  };
  const plan = (render: number, due_in_ms: number): void => {
    orders += 1;
    last_due_at = Math.max(last_due_at, now + due_in_ms);
    const seq = (seqs.get(render) ?? 0) + 1;
    seqs.set(render, seq);
    const planned = { id: `hook_${orders}`, endpoint_id: 'whe_1', render_id: `rend_${render}`, seq, order: orders };
    const queued = queuedDelivery(plannedDelivery({ ...planned, planned_at: last_due_at }));
    if (queued === null) throw new Error('a planned delivery waits');
    store.set(queued.delivery._id, queued);
    offer(queued);
  };
  const begin = (): void => {
    const next = nextDeliveryOf(state, moment());
    if (next.begin === null) return;
    const { render_id, attempts } = next.begin.delivery;
    const overlaps = [...state.under_way.values()].some(
      ({ queued: { delivery }, has_ended }) =>
        !has_ended && delivery.render_id === render_id && delivery.attempts.length === 0,
    );
    if (attempts.length === 0 && overlaps) overlapping.push(next.begin.delivery._id);
    begun.push(next.begin);
    apply({ tag: 'attempt_begun', queued: next.begin });
  };
  const end = (at: number, retries: boolean): void => {
    const ids = [...state.under_way.keys()];
    const id = ids[at % Math.max(1, ids.length)];
    const queued = id === undefined ? undefined : store.get(id);
    if (id === undefined || queued === undefined) return;
    apply({ tag: 'attempt_ended', delivery_id: id });
    const { delivery } = queued;
    const attempt = {
      n: 1,
      started_at: now,
      duration_ms: 1,
      succeeded: false,
      status: 500,
      fault: null,
      response: null,
    };
    const waiting = rescheduledPosition(delivery.waiting, now + 3_000);
    const again = retries ? queuedDelivery({ ...delivery, attempts: [...delivery.attempts, attempt], waiting }) : null;
    if (again === null) store.delete(id);
    else store.set(id, again);
    apply({ tag: 'attempt_closed', delivery_id: id });
    if (again !== null) offer(again);
  };
  const readPage = (page: DuePage, from: string, due_before: number, limit: number): void => {
    const found = [...store.values()]
      .filter(({ position, due_at }) => position >= from && due_at < due_before)
      .sort((a, b) => (a.position < b.position ? -1 : 1))
      .slice(0, limit);
    apply({ tag: 'page_read' });
    const added = found.filter(offer);
    const last = found.length < limit ? null : (found.at(-1)?.position ?? null);
    apply({ tag: 'found_in_store', seconds: remainingSeconds(page, last, added) });
  };
  const read = (fails: boolean): void => {
    const wanted = wantedPageSize(state, moment(), max);
    if (wanted === 0) return;
    for (const { page, from_position, due_before, limit } of apply({
      tag: 'page_wanted',
      wanted,
      until: secondOf(now),
    }))
      if (fails) apply({ tag: 'page_failed', retry_at: now + 1_000 });
      else readPage(page, from_position, due_before, limit);
  };
  const take = (one: Step): void => {
    if (one.tag === 'offer') plan(one.render, one.due_in_ms);
    else if (one.tag === 'begin') begin();
    else if (one.tag === 'end') end(one.at, one.retries);
    else if (one.tag === 'read') read(one.fails);
    else if (one.tag === 'trim') {
      max = one.max;
      apply({ tag: 'trimmed', max });
    } else now += one.ms;
  };
  return { state: () => state, store, begun, overlapping, take, max: () => max };
};
type World = ReturnType<typeof world>;

/** Pending deliveries that are neither in memory nor covered by a second of the store. */
const lost = ({ state, store }: World): readonly string[] => {
  const { waiting, under_way, stored } = state();
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
      const its = world();
      for (const one of steps) {
        its.take(one);
        const { waiting, under_way, stored } = its.state();
        t.deepEqual(lost(its), []);
        t.true(waiting.length <= its.max());
        t.deepEqual(
          waiting.map(({ position }) => position),
          waiting.map(({ position }) => position).sort(),
        );
        t.false(waiting.some(({ delivery }) => under_way.has(delivery._id)));
        t.deepEqual(
          stored.seconds.map(({ second }) => second),
          [...new Set(stored.seconds.map(({ second }) => second))].sort((a, b) => a - b),
        );
        t.true(countPending(its.state()) >= its.store.size);
      }
      for (let turn = 0; turn < 2_000 && its.store.size > 0; turn += 1)
        for (const tag of ['read', 'begin', 'end', 'wait'] as const)
          its.take({ tag, fails: false, at: turn, retries: false, ms: 500 } as Step);
      t.is(its.store.size, 0);
      t.deepEqual(outOfOrder(its), []);
      t.deepEqual(its.overlapping, []);
    }),
    { numRuns: 150 },
  );
});

test('a released queue keeps only running attempts', (t) => {
  const its = world();
  its.take({ tag: 'offer', render: 0, due_in_ms: 0 });
  its.take({ tag: 'offer', render: 1, due_in_ms: 0 });
  its.take({ tag: 'begin' });
  const [state] = queueAfter(its.state(), { tag: 'released' });
  t.deepEqual([...state.under_way.keys()], ['hook_1']);
  t.is(countPending(state), 1);
});
