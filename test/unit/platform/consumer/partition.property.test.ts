import { deepEqual, equal, ok } from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { applyConsumerEvent } from '../../../../platform/consumer/partition.ts';
import type { ConsumerAction, ConsumerEvent } from '../../../../platform/consumer/partition-events.ts';
import {
  type ConsumerState,
  canFetch,
  NO_ASSIGNMENT,
  offsetsToCommit,
  ownedPartition,
  ownedPartitions,
} from '../../../../platform/consumer/partition-state.ts';
import { type TopicPartition, topicPartitionKey } from '../../../../platform/consumer/topic-partition.ts';
import type { LogRecord, RecordBatch } from '../../../../platform/event-log/event-log.ts';
import { runs } from '../../../helpers/runs.ts';

// Random histories of a consumer over a client that behaves as kafkajs does. The client remembers pauses, its fetches
// arrive after a seek or a pause, and searches, revocations and batches end in any order.
const PARTITIONS: readonly TopicPartition[] = [0, 1].map((partition) => ({ topic: 'events', partition }));
const LOG_END = 12;

type Kind =
  | 'assign'
  | 'expel'
  | 'rebalancing'
  | 'heartbeat'
  | 'find'
  | 'give_up_search'
  | 'stop_search'
  | 'revoke'
  | 'fetch'
  | 'deliver'
  | 'finish'
  | 'fail'
  | 'slow'
  | 'pause'
  | 'resume'
  | 'seek'
  | 'stop'
  | 'restart'
  | 'commit';
type Step = { readonly kind: Kind; readonly partition: number; readonly n: number };

type Search = {
  readonly key: string;
  readonly generation: number;
  /** The expected offset at the start of the batch, and the number of moves by the subscriber until then. */
  readonly expected: number | null;
  readonly seeks: number;
};
type Batch = {
  readonly key: string;
  readonly generation: number;
  readonly first: number;
  readonly next: number;
  readonly seeks: number;
};
type Realign = {
  readonly key: string;
  readonly generation: number;
  readonly wanted: number;
  readonly found: number | null;
};
type Work = ({ readonly tag: 'batch' } & Batch) | ({ readonly tag: 'realign' } & Realign);

const recordAt = ({ topic, partition }: TopicPartition, offset: number): LogRecord => ({
  ...{ topic, partition, offset, append_time_ms: 0, key: null, value: null, headers: {} },
});

const batchOf = (one: TopicPartition, from: number, count: number): RecordBatch => ({
  ...one,
  records: Array.from({ length: Math.min(count, LOG_END - from) }, (_, n) => recordAt(one, from + n)),
  high_watermark: LOG_END,
});

class World {
  state: ConsumerState = NO_ASSIGNMENT;
  readonly paused = new Set<string>();
  readonly fetch_offsets = new Map<string, number>();
  readonly searches: Search[] = [];
  readonly revocations: string[] = [];
  readonly answers: RecordBatch[] = [];
  work: Work[] = [];
  readonly alarms = new Set<string>();
  readonly awaited = new Set<string>();
  readonly positions = new Map<string, number>();
  /** Offsets that the subscriber moved a partition to, in order. */
  readonly sought = new Map<string, readonly number[]>();

  apply(event: ConsumerEvent): void {
    const before = this.state;
    const [state, actions] = applyConsumerEvent(before, event);
    this.state = state;
    if ('generation' in event && event.generation !== before.generation && event.tag !== 'failed')
      for (const one of ownedPartitions(state)) {
        const { search: _, ...known } = one;
        const { search: _before, ...known_before } = ownedPartition(before, topicPartitionKey(one)) ?? one;
        deepEqual(known, known_before, 'work of an earlier generation changes nothing');
      }
    for (const action of actions) this.#carryOut(action);
    this.#check();
  }

  #carryOut(action: ConsumerAction): void {
    switch (action.tag) {
      case 'pause':
        this.paused.add(action.key);
        return;
      case 'resume':
        this.paused.delete(action.key);
        return;
      case 'seek':
        this.fetch_offsets.set(action.key, action.offset);
        return;
      case 'find_position':
        ok(
          this.searches.every(({ key }) => key !== action.key),
          'a position is searched once at a time',
        );
        ok(!this.revocations.includes(action.key), 'no position is searched during a revocation');
        this.searches.push({
          ...{ key: action.key, generation: action.generation, seeks: this.#seeks(action.key).length },
          expected: ownedPartition(this.state, action.key)?.expected ?? null,
        });
        return;
      case 'revoke':
        this.revocations.push(action.key);
        return;
      case 'process':
      case 'realign':
        this.#begin(action);
        return;
      case 'report_stop':
        this.alarms.add(action.key);
        return;
      case 'clear_stop':
        this.alarms.delete(action.key);
        return;
      case 'await_position':
        this.awaited.add(action.key);
        return;
      case 'end_await':
        this.awaited.delete(action.key);
    }
  }

  #begin(action: Extract<ConsumerAction, { readonly tag: 'process' | 'realign' }>): void {
    const { key, generation } = action;
    const one = ownedPartition(this.state, key);
    const is_at_work = this.work.some((other) => other.key === key && other.generation === generation);
    ok(!is_at_work, 'one batch of a partition is processed at a time');
    ok(one !== undefined && canFetch(this.state, one), 'what is not to be read is not handed over');
    if (action.tag === 'realign') {
      this.work.push(action);
      return;
    }
    const first = action.batch.records[0]?.offset ?? Number.NaN;
    equal(first, one?.expected ?? null, 'a batch begins at the expected offset');
    this.work.push({
      tag: 'batch',
      key,
      generation,
      first,
      next: first + action.batch.records.length,
      seeks: this.#seeks(key).length,
    });
  }

  #seeks(key: string): readonly number[] {
    return this.sought.get(key) ?? [];
  }

  seek(tag: 'seek' | 'restart', key: string, offset: number): void {
    const before = ownedPartition(this.state, key);
    if (before !== undefined && (tag === 'seek' || before.is_stopped))
      this.sought.set(key, [...this.#seeks(key), offset]);
    this.apply({ tag, key, offset });
    const is_restarted = tag === 'restart' && before?.is_stopped === true;
    if (is_restarted) ok(!ownedPartition(this.state, key)?.is_paused, 'a restart ends the pause of a former task');
  }

  /** If the subscriber moved the position during the work, its last move stays. */
  #checkMoved(key: string, before: number | null, seeks: number): void {
    const moved = this.#seeks(key).slice(seeks).at(-1);
    const one = ownedPartition(this.state, key);
    if (moved !== undefined && moved !== before && one !== undefined) equal(one.expected, moved, 'the seek counts');
  }

  #check(): void {
    const owned = ownedPartitions(this.state);
    const stopped = owned.filter(({ is_stopped }) => is_stopped).map(topicPartitionKey);
    deepEqual([...this.alarms].toSorted(), stopped.toSorted(), 'readiness shows what is stopped here');
    const pending = new Set(owned.filter(({ is_pending }) => is_pending).map(topicPartitionKey));
    for (const key of this.awaited) ok(pending.has(key), 'only positions that are not known are awaited');
    for (const one of owned)
      if (!one.is_pending && canFetch(this.state, one) === this.paused.has(topicPartitionKey(one)))
        throw new Error(
          `${topicPartitionKey(one)} is ${this.paused.has(topicPartitionKey(one)) ? '' : 'not '}paused: ${JSON.stringify(one)}`,
        );
  }

  join(partitions: readonly TopicPartition[], member_id: string): void {
    const is_expelled = member_id !== this.state.member_id;
    // kafkajs drops its fetched records, and starts at the committed offset of the group.
    this.answers.length = 0;
    for (const one of PARTITIONS) this.fetch_offsets.set(topicPartitionKey(one), 0);
    const before = new Set(ownedPartitions(this.state).map(topicPartitionKey));
    const revoked = this.revocations.length;
    this.apply({ tag: 'assigned', member_id, partitions });
    const kept = partitions.filter(
      (one) =>
        before.has(topicPartitionKey(one)) &&
        this.state.partitions.get(topicPartitionKey(one))?.owned_since !== this.state.generation,
    );
    equal(this.revocations.length - revoked, before.size - kept.length, 'each loss is reported once');
    if (is_expelled) equal(kept.length, 0, 'a member that was expelled keeps nothing');
    ok(!this.state.is_rebalancing);
  }

  endSearch(search: Search | undefined, outcome: number | string | null): void {
    if (search === undefined) return;
    this.searches.splice(this.searches.indexOf(search), 1);
    const { key, generation } = search;
    if (typeof outcome === 'number') {
      this.apply({ tag: 'positioned', key, generation, offset: outcome });
      if (generation === this.state.generation) this.#checkMoved(key, search.expected, search.seeks);
    } else this.apply({ tag: 'not_positioned', key, generation, reason: outcome });
  }

  endRevocation(key: string | undefined): void {
    if (key === undefined) return;
    this.revocations.splice(this.revocations.indexOf(key), 1);
    this.apply({ tag: 'revoked', key });
  }

  fetch(one: TopicPartition, count: number): void {
    const key = topicPartitionKey(one);
    const is_fetching = this.answers.some((answer) => topicPartitionKey(answer) === key);
    const is_handled = this.work.some(
      (work) =>
        work.key === key &&
        work.generation === this.state.generation &&
        ownedPartition(this.state, key)?.is_slow !== true,
    );
    if (ownedPartition(this.state, key) === undefined || this.paused.has(key) || is_fetching || is_handled) return;
    this.answers.push(batchOf(one, this.fetch_offsets.get(key) ?? 0, count));
  }

  deliver(answer: RecordBatch | undefined): void {
    if (answer === undefined) return;
    this.answers.splice(this.answers.indexOf(answer), 1);
    this.apply({ tag: 'fetched', batch: answer });
  }

  finish(work: Work | undefined): void {
    if (work === undefined) return;
    this.work = this.work.filter((other) => other !== work);
    const { key, generation } = work;
    if (work.tag === 'realign') {
      const { wanted, found } = work;
      this.apply({ tag: 'realigned', key, generation, wanted, found, start: wanted });
      return;
    }
    const was_slow = ownedPartition(this.state, key)?.is_slow === true;
    this.apply({ tag: 'processed', key, generation, wanted: work.first, next: work.next });
    if (generation !== this.state.generation) return;
    this.#checkMoved(key, work.first, work.seeks);
    this.positions.set(key, work.next);
    // The batch ended in time, so kafkajs continues after it.
    if (!was_slow && ownedPartition(this.state, key)?.expected === work.next) this.fetch_offsets.set(key, work.next);
  }

  fail(work: Work | undefined): void {
    if (work === undefined) return;
    this.work = this.work.filter((other) => other !== work);
    const { key, generation } = work;
    const before = ownedPartition(this.state, key);
    this.apply({ tag: 'failed', key, generation, reason: 'poisoned' });
    const is_here = (before?.owned_since ?? Number.POSITIVE_INFINITY) <= generation;
    const is_stopped = ownedPartition(this.state, key)?.is_stopped;
    equal(is_stopped, is_here ? true : before?.is_stopped, 'a partition that was lost meanwhile is not stopped');
  }

  /** All unfinished operations succeed, and the subscriber and operators release what they hold. */
  settle(): void {
    this.apply({ tag: 'heartbeat_answered' });
    while (this.searches.length + this.revocations.length + this.work.length > 0) {
      this.endRevocation(this.revocations[0]);
      this.endSearch(this.searches[0], 0);
      this.finish(this.work[0]);
    }
    for (const { topic, partition, is_stopped, expected } of ownedPartitions(this.state)) {
      const key = topicPartitionKey({ topic, partition });
      if (is_stopped) this.apply({ tag: 'restart', key, offset: expected ?? 0 });
      else this.apply({ tag: 'resume', key });
    }
    for (const one of ownedPartitions(this.state)) {
      const key = topicPartitionKey(one);
      ok(canFetch(this.state, one), `${key} is read`);
      equal(this.fetch_offsets.get(key), one.expected ?? Number.NaN, `${key} is fetched at the expected offset`);
    }
  }
}

type Move = { readonly one: TopicPartition; readonly key: string; readonly n: number };

const ofKey = <A extends { readonly key: string }>(all: readonly A[], key: string): A | undefined =>
  all.find((other) => other.key === key);

const MOVES: Readonly<Record<Kind, (world: World, move: Move) => void>> = {
  assign: (world, { n }) => world.join(subset(n), world.state.member_id || 'first'),
  expel: (world, { n }) => world.join(subset(n), `member ${world.state.generation}`),
  rebalancing: (world) => world.apply({ tag: 'rebalancing' }),
  heartbeat: (world) => world.apply({ tag: 'heartbeat_answered' }),
  find: (world, { key, n }) => world.endSearch(ofKey(world.searches, key), world.positions.get(key) ?? n),
  give_up_search: (world, { key }) => {
    const search = ofKey(world.searches, key);
    if (search?.generation !== world.state.generation) world.endSearch(search, null);
  },
  stop_search: (world, { key }) => world.endSearch(ofKey(world.searches, key), 'records were lost'),
  revoke: (world, { key }) => world.endRevocation(world.revocations.find((other) => other === key)),
  fetch: (world, { one, n }) => world.fetch(one, 1 + (n % 3)),
  deliver: (world, { key }) => world.deliver(world.answers.find((answer) => topicPartitionKey(answer) === key)),
  finish: (world, { key }) => world.finish(ofKey(world.work, key)),
  fail: (world, { key }) => world.fail(ofKey(world.work, key)),
  slow: (world, { key }) => {
    const work = ofKey(world.work, key);
    if (work !== undefined) world.apply({ tag: 'slow', key, generation: work.generation });
  },
  pause: (world, { key }) => world.apply({ tag: 'pause', key }),
  resume: (world, { key }) => world.apply({ tag: 'resume', key }),
  seek: (world, { key, n }) => world.seek('seek', key, n),
  restart: (world, { key, n }) => world.seek('restart', key, n),
  stop: (world, { key }) => world.apply({ tag: 'stop', key, reason: 'stopped by its processor' }),
  commit: (world) => world.apply({ tag: 'committed', offsets: offsetsToCommit(world.state) }),
};

const subset = (bits: number): readonly TopicPartition[] =>
  PARTITIONS.filter((_, index) => (bits & (1 << index)) !== 0);

const weighted = (weight: number, ...kinds: readonly Kind[]) => ({ weight, arbitrary: fc.constantFrom(...kinds) });
const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    weighted(4, 'find', 'fetch', 'deliver', 'finish', 'revoke'),
    weighted(2, 'assign', 'slow', 'pause', 'resume', 'seek', 'restart', 'fail'),
    weighted(1, 'expel', 'rebalancing', 'heartbeat', 'give_up_search', 'stop_search', 'stop', 'commit'),
  ),
  partition: fc.nat({ max: PARTITIONS.length - 1 }),
  n: fc.nat({ max: 7 }),
});
const HISTORY = fc
  .array(STEP, { minLength: 40, maxLength: 120 })
  .map((steps): readonly Step[] => [{ kind: 'assign', partition: 0, n: 7 }, ...steps]);

test('any order of rebalances, searches, batches, pauses and stops loses no record', (t) => {
  const property = fc.property(HISTORY, (history) => {
    const world = new World();
    for (const { kind, partition, n } of history) {
      const one = PARTITIONS[partition] ?? { topic: 'events', partition };
      MOVES[kind](world, { one, key: topicPartitionKey(one), n });
    }
    world.settle();
  });
  t.notThrows(() => fc.assert(property, { numRuns: runs(8_000) }));
});
