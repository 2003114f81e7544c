import type { ConsumerAction, ConsumerEvent } from './partition-events.ts';
import {
  type ConsumerState,
  canFetch,
  ownedPartition,
  ownedPartitions,
  type PartitionState,
  releasedState,
} from './partition-state.ts';
import { topicPartitionKey } from './topic-partition.ts';

type Transition = readonly [ConsumerState, readonly ConsumerAction[]];
type Event<Tag extends ConsumerEvent['tag']> = Extract<ConsumerEvent, { readonly tag: Tag }>;

const withPartition = (state: ConsumerState, one: PartitionState): ConsumerState => {
  const partitions = new Map(state.partitions);
  const is_over = one.owned_since === null && one.search === null && one.revocations === 0;
  if (is_over) partitions.delete(topicPartitionKey(one));
  else partitions.set(topicPartitionKey(one), one);
  return { ...state, partitions };
};

/** Always sends a pause or a resume, because kafkajs remembers pauses of earlier assignments. */
const steered = (state: ConsumerState, one: PartitionState): ConsumerAction => ({
  tag: canFetch(state, one) ? 'resume' : 'pause',
  key: topicPartitionKey(one),
});

/** Begins a search once the previous search and all revocations of the partition have ended. */
const searchIfDue = (
  state: ConsumerState,
  one: PartitionState,
): readonly [PartitionState, readonly ConsumerAction[]] => {
  const { generation, has_ended } = state;
  const is_due = one.owned_since !== null && one.is_pending && one.search === null && one.revocations === 0;
  if (!is_due || has_ended) return [one, []];
  return [
    { ...one, search: { generation, expected: one.expected } },
    [{ tag: 'find_position', key: topicPartitionKey(one), generation }],
  ];
};

const stop = (state: ConsumerState, one: PartitionState, reason: string): Transition => {
  const key = topicPartitionKey(one);
  return [
    withPartition(state, { ...one, is_stopped: true }),
    [
      { tag: 'end_await', key },
      { tag: 'report_stop', key, reason, offset: one.expected },
      { tag: 'pause', key },
    ],
  ];
};

const assign = (state: ConsumerState, { member_id, partitions }: Event<'assigned'>): Transition => {
  const assigned = new Map(partitions.map((one) => [topicPartitionKey(one), one]));
  // A new member id means that the group expelled this member. Others may have owned its partitions since.
  const is_same = member_id === state.member_id;
  const before = ownedPartitions(state);
  const lost = before.filter((one) => !(is_same && assigned.has(topicPartitionKey(one))));
  const lost_keys = new Set(lost.map(topicPartitionKey));
  const gained = partitions.filter(
    (one) => ownedPartition(state, topicPartitionKey(one)) === undefined || lost_keys.has(topicPartitionKey(one)),
  );

  const next = new Map(state.partitions);
  for (const one of lost) {
    const { search, revocations } = one;
    next.set(topicPartitionKey(one), { ...releasedState(one), search, revocations: revocations + 1 });
  }
  for (const one of gained) {
    const key = topicPartitionKey(one);
    next.set(key, { ...(next.get(key) ?? releasedState(one)), owned_since: state.generation + 1 });
  }
  const now: ConsumerState = {
    ...{ ...state, generation: state.generation + 1, member_id, is_rebalancing: false, partitions: next },
  };
  const actions: ConsumerAction[] = [{ tag: 'replace_generation' }];
  for (const one of lost) {
    const key = topicPartitionKey(one);
    actions.push({ tag: 'end_await', key }, { tag: 'revoke', key });
    // The new owner tries the record again, so this process no longer reports the stop.
    if (one.is_stopped) actions.push({ tag: 'clear_stop', key });
  }
  actions.push({ tag: 'announce', gained, lost: lost.length });
  for (const key of assigned.keys()) {
    const one = next.get(key);
    if (one === undefined) continue;
    actions.push({ tag: 'await_position', key });
    const [searching, search] = searchIfDue(now, { ...one, is_pending: true, is_slow: false });
    next.set(key, searching);
    actions.push(...search);
  }
  return [now, actions];
};

const endRevocation = (state: ConsumerState, key: string): Transition => {
  const before = state.partitions.get(key);
  if (before === undefined) return [state, []];
  const [one, actions] = searchIfDue(state, { ...before, revocations: before.revocations - 1 });
  return [withPartition(state, one), actions];
};

const endSearch = (state: ConsumerState, event: Event<'positioned' | 'not_positioned'>): Transition => {
  const before = state.partitions.get(event.key);
  if (before === undefined || before.search === null) return [state, []];
  const { search } = before;
  const one: PartitionState = { ...before, search: null };
  if (one.owned_since === null || event.generation !== state.generation) {
    const [searching, actions] = searchIfDue(state, one);
    return [withPartition(state, searching), actions];
  }
  const { key } = event;
  const known: PartitionState = { ...one, is_pending: false };
  const ended: ConsumerAction = { tag: 'end_await', key };
  if (state.has_ended) return [withPartition(state, known), [ended, steered(state, known)]];
  if (event.tag === 'not_positioned') {
    if (event.reason !== null) return stop(state, known, event.reason);
    return [withPartition(state, known), [ended, steered(state, known)]];
  }
  // The subscriber may have moved the position in the meantime.
  const start = one.expected === null || one.expected === search.expected ? event.offset : one.expected;
  const positioned: PartitionState = { ...known, expected: start, committed: start, misaligned: null };
  return [withPartition(state, positioned), [{ tag: 'seek', key, offset: start }, ended, steered(state, positioned)]];
};

const take = (state: ConsumerState, { batch, is_outside = false }: Event<'fetched'>): Transition => {
  const key = topicPartitionKey(batch);
  const one = ownedPartition(state, key);
  if (one === undefined || state.has_ended || state.is_rebalancing) return [state, []];
  if (one.is_pending) return [state, [{ tag: 'pause', key }]];
  const { expected: wanted } = one;
  if (!canFetch(state, one) || wanted === null) return [state, []];
  const { generation } = state;
  const [first, last] = [batch.records[0], batch.records.at(-1)];
  if (is_outside) return [state, [{ tag: 'realign', key, generation, wanted, found: null }]];
  if (first === undefined || last === undefined) return [state, []];
  if (first.offset !== wanted) return [state, [{ tag: 'realign', key, generation, wanted, found: first.offset }]];
  if (last.offset - first.offset !== batch.records.length - 1)
    return stop(state, one, `records are missing between ${first.offset} and ${last.offset}`);
  return [state, [{ tag: 'process', key, generation, batch }]];
};

const endWork = (
  state: ConsumerState,
  { key, generation }: { readonly key: string; readonly generation: number },
): { readonly one: PartitionState; readonly was_slow: boolean } | null => {
  const one = ownedPartition(state, key);
  if (one === undefined || generation !== state.generation) return null;
  return { one: { ...one, is_slow: false }, was_slow: one.is_slow };
};

/** A client that was paused for a slow batch resumes at the expected offset. */
const continued = (state: ConsumerState, one: PartitionState, was_slow: boolean): readonly ConsumerAction[] => {
  if (!was_slow) return [];
  const seek: readonly ConsumerAction[] =
    one.expected === null ? [] : [{ tag: 'seek', key: topicPartitionKey(one), offset: one.expected }];
  return [...seek, steered(state, one)];
};

const endBatch = (state: ConsumerState, event: Event<'processed'>): Transition => {
  const work = endWork(state, event);
  if (work === null) return [state, []];
  const { one, was_slow } = work;
  const is_moved = one.expected !== event.wanted;
  const now: PartitionState = is_moved ? one : { ...one, expected: event.next, misaligned: null };
  const commit: readonly ConsumerAction[] = is_moved ? [] : [{ tag: 'commit_soon' }];
  return [withPartition(state, now), [...commit, ...continued(state, now, was_slow)]];
};

/**
 * A batch began at another offset than expected. The expected offset is fetched once more; if it is missing again, the
 * partition stops.
 */
const realign = (state: ConsumerState, event: Event<'realigned'>): Transition => {
  const work = endWork(state, event);
  if (work === null) return [state, []];
  const { one, was_slow } = work;
  const { key, wanted, found, start } = event;
  if (state.has_ended || one.expected !== wanted) return [withPartition(state, one), continued(state, one, was_slow)];
  if (found !== null && found > wanted && start === wanted && one.misaligned === wanted)
    return stop(state, one, `records ${wanted} to ${found - 1} are missing from the log`);
  const now: PartitionState = { ...one, expected: start, misaligned: wanted };
  return [
    withPartition(state, now),
    [
      { tag: 'report_realign', key, wanted, found },
      { tag: 'seek', key, offset: start },
      ...(was_slow ? [steered(state, now)] : []),
    ],
  ];
};

const fail = (state: ConsumerState, { key, generation, reason }: Event<'failed'>): Transition => {
  const one = ownedPartition(state, key);
  // The partition has had another owner since the work began.
  if (one === undefined || one.owned_since === null || generation < one.owned_since) return [state, []];
  return stop(state, generation === state.generation ? { ...one, is_slow: false } : one, reason);
};

const crash = (state: ConsumerState): Transition => [
  { ...state, has_ended: true },
  ownedPartitions(state).map((one) => ({ tag: 'pause', key: topicPartitionKey(one) })),
];

const restart = (state: ConsumerState, one: PartitionState, offset: number): Transition => {
  if (!one.is_stopped) return [state, []];
  const key = topicPartitionKey(one);
  const now: PartitionState = { ...one, is_stopped: false, is_paused: false, expected: offset };
  return [
    withPartition(state, now),
    [
      { tag: 'clear_stop', key },
      { tag: 'report_restart', key, offset },
      { tag: 'seek', key, offset },
      steered(state, now),
    ],
  ];
};

/** Commands of the subscriber. They have no effect if the partition is not owned. */
const steer = (
  state: ConsumerState,
  event: Event<'pause' | 'resume' | 'seek' | 'restart' | 'stop' | 'slow'>,
): Transition => {
  const { key } = event;
  const one = ownedPartition(state, key);
  if (one === undefined) return [state, []];
  switch (event.tag) {
    case 'pause':
      return [withPartition(state, { ...one, is_paused: true }), [{ tag: 'pause', key }]];
    case 'resume': {
      const now: PartitionState = { ...one, is_paused: false };
      return [withPartition(state, now), [steered(state, now)]];
    }
    case 'seek':
      return [withPartition(state, { ...one, expected: event.offset }), [{ tag: 'seek', key, offset: event.offset }]];
    case 'restart':
      return restart(state, one, event.offset);
    case 'stop':
      return stop(state, one, event.reason);
    case 'slow':
      if (event.generation !== state.generation) return [state, []];
      return [withPartition(state, { ...one, is_slow: true }), [{ tag: 'pause', key }]];
  }
};

const commit = (state: ConsumerState, offsets: ReadonlyMap<string, number>): ConsumerState => {
  const partitions = new Map(state.partitions);
  for (const [key, committed] of offsets) {
    const one = partitions.get(key);
    if (one !== undefined && one.owned_since !== null) partitions.set(key, { ...one, committed });
  }
  return { ...state, partitions };
};

/** Decides all interleavings of rebalances, positions, batches, pauses and stops. */
export const applyConsumerEvent = (state: ConsumerState, event: ConsumerEvent): Transition => {
  switch (event.tag) {
    case 'assigned':
      return assign(state, event);
    case 'rebalancing':
      return [{ ...state, is_rebalancing: true }, []];
    case 'heartbeat_answered':
      return [{ ...state, is_rebalancing: false }, []];
    case 'crashed':
      return crash(state);
    case 'left':
      return [{ ...state, has_ended: true }, []];
    case 'revoked':
      return endRevocation(state, event.key);
    case 'positioned':
    case 'not_positioned':
      return endSearch(state, event);
    case 'fetched':
      return take(state, event);
    case 'processed':
      return endBatch(state, event);
    case 'realigned':
      return realign(state, event);
    case 'failed':
      return fail(state, event);
    case 'committed':
      return [commit(state, event.offsets), []];
    default:
      return steer(state, event);
  }
};
