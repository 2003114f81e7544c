import test from 'ava';
import fc from 'fast-check';
import type { LogRecord } from '../../../../platform/event-log/event-log.ts';
import {
  initialPartitionState,
  isPlannedUpTo,
  type PartitionAction,
  type PartitionEvent,
  type PartitionState,
  partitionAfter,
} from '../../../../webhook-relay/plan/partition-state.ts';
import type { FetchedRecord, StatusWork } from '../../../../webhook-relay/plan/status-changes.ts';

const START = 5;
const NO_DELIVERIES = { settled: new Set<string>(), logged: new Map(), ahead: null };

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      tag: fc.constant('fetch' as const),
      records: fc.array(
        fc.record({
          gap: fc.integer({ min: 0, max: 3 }),
          kind: fc.constantFrom('work' as const, 'nothing' as const, 'repeat' as const, 'poison' as const),
        }),
        { maxLength: 150, size: 'max' },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ tag: fc.constant('end_batch' as const) }) },
  { weight: 2, arbitrary: fc.record({ tag: fc.constant('store_part' as const), at: fc.double({ min: 0, max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ tag: fc.constant('read_log' as const) }) },
  { weight: 1, arbitrary: fc.record({ tag: fc.constant('requests' as const), by: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ tag: fc.constant('time' as const), now: fc.integer({ min: 0, max: 1_000 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Batch = Extract<PartitionAction, { tag: 'plan_batch' }>;

const workAt = (offset: number): StatusWork => ({ tag: 'erased', offset, render_id: `rend_${offset}` });

const shell = () => {
  const before = { last_due_at: 0, last_source_offset: -1, now: 0 };
  let state = initialPartitionState({ next_status: START, next_request: 0 }, before);
  const done = {
    accepted: [] as StatusWork[],
    begun: [] as StatusWork[],
    poison: 0,
    unfinished: 0,
    faults: [] as string[],
  };
  const world = { running: null as Batch | null, next_offset: START, next_source: 0, is_log_read: false };
  const perform = (action: PartitionAction): void => {
    if (action.tag === 'report_poison') done.poison += 1;
    if (action.tag === 'begin_work') done.unfinished += action.count;
    if (action.tag === 'finish_work') done.unfinished -= action.count;
    if (action.tag !== 'plan_batch') return;
    if (world.running !== null) done.faults.push('two batches at once');
    if (!world.is_log_read) done.faults.push('a batch before the log was read');
    world.running = action;
    done.begun.push(...action.work);
  };
  const apply = (event: PartitionEvent): void => {
    const [next, actions] = partitionAfter(state, event);
    if (next.position.next_status < state.position.next_status) done.faults.push('the position went back');
    if (next.last_due_at < state.last_due_at) done.faults.push('the due time went back');
    state = next;
    for (const action of actions) perform(action);
  };
  return { state: (): PartitionState => state, done, world, apply };
};
type Shell = ReturnType<typeof shell>;

const endBatch = ({ apply, world }: Shell): void => {
  const { running } = world;
  if (running === null) return;
  world.running = null;
  apply({ tag: 'batch_planned', count: running.work.length, next_status: running.next_status });
};

const fetch = ({ apply, done, world }: Shell, records: Extract<Step, { tag: 'fetch' }>['records']): void => {
  const fetched = records.map(({ gap, kind }): FetchedRecord => {
    const offset = world.next_offset + gap;
    world.next_offset = offset + 1;
    if (kind === 'poison') return { tag: 'poison', offset, record: {} as LogRecord, reason: 'damaged' };
    const work = kind === 'nothing' ? [] : [workAt(offset)];
    // A repeat has the source offset of an earlier record.
    if (kind === 'repeat') return { tag: 'event', offset, source_offset: world.next_source - 1, work };
    world.next_source += 1;
    done.accepted.push(...work);
    return { tag: 'event', offset, source_offset: world.next_source - 1, work };
  });
  apply({ tag: 'fetched', records: fetched });
};

const take = (its: Shell, step: Step): void => {
  const { apply, world, state } = its;
  switch (step.tag) {
    case 'fetch':
      fetch(its, step.records);
      break;
    case 'end_batch':
      endBatch(its);
      break;
    case 'read_log':
      if (world.is_log_read) return;
      world.is_log_read = true;
      apply({ tag: 'log_read', known: NO_DELIVERIES });
      break;
    case 'store_part': {
      const batch = world.running;
      const work = batch?.work[Math.floor(step.at * batch.work.length)];
      if (work === undefined) return;
      const next_status = Math.max(state().position.next_status, work.offset);
      const saved = { ...state().position, next_status };
      apply({ tag: 'plan_stored', next: { next_status }, saved, at: 0 });
      break;
    }
    case 'requests':
      apply({ tag: 'requests_planned', next_request: state().position.next_request + step.by });
      break;
    case 'time':
      apply({ tag: 'time_read', now: step.now });
      break;
  }
};

test('each fetched change is planned once, in order, one batch at a time', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const its = shell();
      for (const one of steps) {
        take(its, one);
        const { done, state, world } = its;
        const { position, queue, fetched } = state();
        t.deepEqual(done.faults, []);
        t.deepEqual([...done.begun, ...queue], done.accepted);
        t.is(done.unfinished, queue.length + (world.running?.work.length ?? 0));
        t.true(position.next_status <= (world.running?.next_status ?? fetched));
        t.true((world.running?.next_status ?? position.next_status) <= (queue[0]?.offset ?? fetched));
      }
      take(its, { tag: 'read_log' });
      while (its.world.running !== null) endBatch(its);
      t.deepEqual(its.done.begun, its.done.accepted);
      t.is(its.done.unfinished, 0);
      t.is(its.state().position.next_status, its.world.next_offset);
      t.true(isPlannedUpTo(its.state(), its.state().position.next_request));
    }),
    { numRuns: 100 },
  );
});

test('nothing is planned after a failed batch, which the position must not pass', (t) => {
  const its = shell();
  take(its, { tag: 'read_log' });
  fetch(its, [{ gap: 0, kind: 'work' }]);
  t.not(its.world.running, null);
  its.world.running = null;
  its.apply({ tag: 'planning_failed' });
  fetch(its, [{ gap: 0, kind: 'work' }]);
  t.is(its.world.running, null);
});
