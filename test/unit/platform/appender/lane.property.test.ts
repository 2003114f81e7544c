import { deepEqual, equal, ok } from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import type { WaitingAppend } from '../../../../platform/appender/append-queue.ts';
import {
  applyProducerEvent,
  canSend,
  newProducerState,
  type PartitionProducerState,
  type ProducerAction,
  type ProducerEvent,
} from '../../../../platform/appender/lane.ts';
import type { NumberedBatch, ProducerIdentity, SendOutcome } from '../../../../platform/appender/producer.ts';
import { runs } from '../../../helpers/runs.ts';

// Random histories of one partition. Requests arrive late or never, responses are lost, and the clock jumps.
type Kind =
  | 'append'
  | 'batch'
  | 'send'
  | 'arrive'
  | 'respond'
  | 'lose'
  | 'reject'
  | 'refuse'
  | 'forget'
  | 'arrive_late'
  | 'pass_time';
type Step = { readonly kind: Kind; readonly n: number };

/** `outcome` is the broker's result; null before the request arrives. */
type Request = { readonly numbered: NumberedBatch; readonly sent_at: number; outcome: SendOutcome | null };

const faultOf = (tag: 'not_written' | 'unknown' | 'disowned', is_unanswered: boolean): SendOutcome => ({
  ...{ tag, message: tag, is_unanswered },
});

class Broker {
  readonly log: string[] = [];
  readonly #producers = new Map<string, { next: number; readonly offsets: Map<number, number> }>();

  forget(): void {
    this.#producers.clear();
  }

  /** Recognises a repetition, and rejects a gap. */
  take({ identity, first_sequence, records }: NumberedBatch): SendOutcome {
    const known = this.#producers.get(identity.producer_id);
    const repeated = known?.offsets.get(first_sequence);
    if (repeated !== undefined) return { tag: 'appended', offset: repeated, append_time_ms: 1 };
    if ((known?.next ?? 0) !== first_sequence) return faultOf('disowned', false);
    const producer = known ?? { next: 0, offsets: new Map<number, number>() };
    this.#producers.set(identity.producer_id, producer);
    const offset = this.log.length;
    producer.offsets.set(first_sequence, offset);
    producer.next = first_sequence + records.length;
    this.log.push(...records.map(({ value }) => value.toString()));
    return { tag: 'appended', offset, append_time_ms: 1 };
  }
}

class World {
  readonly broker = new Broker();
  lane: PartitionProducerState = newProducerState('events', 0);
  queue: readonly WaitingAppend[] = [];
  /** Requests in flight or lost. A lost request can still arrive. */
  requests: readonly Request[] = [];
  late: readonly NumberedBatch[] = [];
  now = 0;
  #identities = 0;
  #identity: ProducerIdentity | null = null;
  #appends = 0;
  readonly #settled = new Map<string, number | 'not_appended' | 'outcome_unknown'>();

  apply(event: ProducerEvent): void {
    const [lane, actions] = applyProducerEvent(this.lane, event);
    this.lane = lane;
    for (const action of actions) this.#carryOut(action);
  }

  #carryOut(action: ProducerAction): void {
    if (action.tag === 'drop_identity') this.#identity = null;
    if (action.tag === 'put_back') this.queue = [...action.appends, ...this.queue];
    if (action.tag === 'appended')
      for (const [index, append] of action.appends.entries()) this.#settle(append, action.offset + index);
    if (action.tag === 'fail') for (const append of action.appends) this.#settle(append, action.fault.tag);
  }

  #settle({ records }: WaitingAppend, result: number | 'not_appended' | 'outcome_unknown'): void {
    const text = records[0]?.value.toString() ?? '';
    ok(!this.#settled.has(text), `${text} is answered once`);
    this.#settled.set(text, result);
  }

  append(): void {
    const value = Buffer.from(`append ${this.#appends}`);
    this.#appends += 1;
    const ignore = (): void => undefined;
    const records = [{ key: 'key', value }];
    this.queue = [...this.queue, { records, size_bytes: 1, deadline_ms: 0, appended: ignore, failed: ignore }];
  }

  batch(count: number): void {
    if (this.lane.batch !== null || this.queue.length === 0) return;
    if (this.#identity === null) {
      this.#identities += 1;
      this.#identity = { producer_id: `${this.#identities}`, producer_epoch: 0 };
    }
    const appends = this.queue.slice(0, count);
    this.queue = this.queue.slice(count);
    this.apply({ tag: 'batched', appends, identity: this.lane.identity ?? this.#identity });
  }

  send(): void {
    if (this.lane.batch === null || !canSend(this.lane, this.now)) return;
    equal(this.requests.length, 0, 'one request of a partition is under way at a time');
    this.apply({ tag: 'sent', now: this.now });
    this.requests = [{ numbered: this.lane.batch.numbered, sent_at: this.now, outcome: null }];
  }

  arrive(): void {
    for (const request of this.requests) request.outcome ??= this.broker.take(request.numbered);
  }

  answer(outcomeOf: (request: Request) => SendOutcome): void {
    const [request] = this.requests;
    if (request === undefined) return;
    this.requests = [];
    const outcome = outcomeOf(request);
    const { numbered, sent_at } = request;
    if (outcome.tag === 'unknown' && request.outcome === null) this.late = [...this.late, numbered];
    this.apply({ tag: 'answered', numbered, outcome, took_ms: this.now - sent_at, now: this.now });
  }

  arriveLate(): void {
    for (const numbered of this.late) this.broker.take(numbered);
    this.late = [];
  }

  passTime(ms: number): void {
    this.now += ms;
    this.apply({ tag: 'time_passed', now: this.now });
  }

  check(): void {
    const { log } = this.broker;
    for (const [text, result] of this.#settled) {
      const found = log.flatMap((one, offset) => (one === text ? [offset] : []));
      if (typeof result === 'number') deepEqual(found, [result], text);
      else ok(found.length <= (result === 'not_appended' ? 0 : 1), `${text}: ${result}, but at ${found}`);
    }
    const acknowledged = Array.from(this.#settled).flatMap(([text, result]) =>
      typeof result === 'number' ? [Number(text.slice('append '.length))] : [],
    );
    deepEqual(
      acknowledged,
      acknowledged.toSorted((a, b) => a - b),
      'appends are acknowledged in order',
    );
  }
}

const MOVES: Readonly<Record<Kind, (world: World, n: number) => void>> = {
  append: (world) => world.append(),
  batch: (world, n) => world.batch(n + 1),
  send: (world) => world.send(),
  arrive: (world) => world.arrive(),
  respond: (world) => {
    world.arrive();
    world.answer(({ outcome }) => outcome ?? faultOf('unknown', true));
  },
  lose: (world) => world.answer(() => faultOf('unknown', true)),
  reject: (world) => world.answer(({ outcome }) => faultOf(outcome === null ? 'not_written' : 'unknown', false)),
  refuse: (world) => world.answer(({ outcome }) => outcome ?? { tag: 'refused', message: 'refused', too_large: true }),
  /** The broker forgets producers after a day, so no request of that day is in flight. */
  forget: (world) => {
    world.arriveLate();
    if (world.requests.length === 0 && world.lane.batch?.since == null) world.broker.forget();
  },
  arrive_late: (world) => world.arriveLate(),
  pass_time: (world, n) => world.passTime([10, 300, 1_500, 6_000, 60_000][n] ?? 0),
};

const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Kind>('append', 'batch', 'send', 'pass_time') },
    {
      weight: 3,
      arbitrary: fc.constantFrom<Kind>('respond', 'arrive', 'lose', 'reject', 'refuse', 'forget', 'arrive_late'),
    },
  ),
  n: fc.nat({ max: 4 }),
});

test('a lane answers each append once, in order, and as in the log', (t) => {
  const property = fc.property(fc.array(STEP, { minLength: 30, maxLength: 120 }), (history) => {
    const world = new World();
    for (const { kind, n } of history) MOVES[kind](world, n);
    world.arrive();
    world.arriveLate();
    world.check();
  });
  t.notThrows(() => fc.assert(property, { numRuns: runs(8_000) }));
});
