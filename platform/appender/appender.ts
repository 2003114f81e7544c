import { chain, type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Appended, AppendFault, AppendRequest, BatchRequest, EventLog } from '../event-log/event-log.ts';
import { isMissingTopic } from '../event-log/kafka-faults.ts';
import { partitionOfKey } from '../event-log/partition-of-key.ts';
import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { Clock } from '../process/clock.ts';
import {
  AppendQueue,
  isPastDeadline,
  MAX_BATCH_BYTES,
  MAX_RECORD_BYTES,
  MAX_SEND_BYTES,
  MAX_WAITING_BYTES,
  MAX_WAITING_RECORDS,
  recordSizeBytes,
  type WaitingAppend,
} from './append-queue.ts';
import {
  applyProducerEvent,
  canSend,
  newProducerState,
  outcomeUnknownFault,
  type PartitionProducerState,
  type ProducerAction,
  type ProducerEvent,
} from './lane.ts';
import type { Producer, ProducerIdentity, SendOutcome } from './producer.ts';
import { MetadataRequests } from './questions.ts';

export type Appender = Pick<EventLog, 'append' | 'appendBatch'> & {
  /**
   * The number of partitions without a leader, or whose records a broker refused and has not accepted quickly since.
   */
  readonly impeded: () => number;
  /** Accepts no new appends, and sends the waiting ones for at most five seconds. */
  readonly close: () => Promise<void>;
};

export type AppenderDependencies = {
  /** Only healthy partitions use this producer. */
  readonly producer: Producer;
  /** A broker answers the requests of one connection in order, so failing partitions use separate connections. */
  readonly impeded: Producer;
  readonly partitionsOf: (topic: string) => Promise<number>;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** An append that waits this long for its turn or for a broker fails as `not_appended`. */
const WAIT_MS = 5_000;
const RETRY_MS = 200;
const CLOSE_MS = 5_000;
const EXPIRY_LOOK_MS = 500;

const UNPLACED = outcomeUnknownFault('the brokers did not return the offset of the record');
const UNANSWERED: SendOutcome = { tag: 'unknown', message: UNPLACED.message, is_unanswered: true };

const notAppended = (message: string): AppendFault => ({ tag: 'not_appended', message });

type Open = { lane: PartitionProducerState; readonly queue: AppendQueue };
type Route = { readonly through: Producer; readonly leader: number; size_bytes: number; readonly all: Open[] };
/** An append to a topic whose partition count is not known yet. */
type Unplaced = { readonly topic: string; readonly partition: number | undefined; readonly append: WaitingAppend };
type PutRequest = Omit<BatchRequest, 'partition'> & Pick<AppendRequest, 'partition'>;

const hasWork = ({ lane, queue }: Open): boolean => lane.batch !== null || !queue.is_empty;

class BatchingAppender {
  readonly #deps: AppenderDependencies;
  readonly #questions: MetadataRequests;
  readonly #counts = new Map<string, number>();
  readonly #open = new Map<string, Open>();
  readonly #busy = new Set<string>();
  readonly #endExpiry: () => void;
  #unplaced: Unplaced[] = [];
  #waiting_records = 0;
  #waiting_bytes = 0;
  /** Partitions without an identity get this one. It is replaced after a batch of unknown outcome. */
  #identity: ProducerIdentity | null = null;
  #is_woken = false;
  #cancelRetry: (() => void) | null = null;
  #onIdle: (() => void) | null = null;
  #is_closed = false;

  constructor(deps: AppenderDependencies) {
    this.#deps = deps;
    const warn = throttledWarn(deps.logger);
    this.#questions = new MetadataRequests((reason) => warn({ reason }, 'Kafka cannot be reached'));
    this.#endExpiry = deps.clock.every(EXPIRY_LOOK_MS, () => this.#expire());
  }

  #apply(open: Open, event: ProducerEvent): void {
    const [lane, actions] = applyProducerEvent(open.lane, event);
    open.lane = lane;
    for (const action of actions) this.#carryOut(open, action);
  }

  #carryOut({ lane, queue }: Open, action: ProducerAction): void {
    const { topic, partition } = lane;
    switch (action.tag) {
      case 'appended':
        this.#succeed(partition, action);
        return;
      case 'fail':
        this.#fail(action.appends, action.fault);
        return;
      case 'put_back':
        queue.putBack(action.appends);
        return;
      case 'drop_identity':
        this.#identity = null;
        return;
      case 'report_impeded':
        this.#deps.logger.warn({ topic, partition, reason: action.reason }, 'a partition accepts no records');
        return;
      case 'report_well':
        this.#deps.logger.info({ topic, partition }, 'a partition accepts records again');
    }
  }

  #settle({ records, size_bytes }: WaitingAppend): void {
    this.#waiting_records -= records.length;
    this.#waiting_bytes -= size_bytes;
  }

  #succeed(partition: number, action: Extract<ProducerAction, { readonly tag: 'appended' }>): void {
    const { appends, append_time_ms } = action;
    let { offset } = action;
    for (const append of appends) {
      this.#settle(append);
      const first = offset;
      offset += append.records.length;
      append.appended(append.records.map((_, index) => ({ partition, offset: first + index, append_time_ms })));
    }
  }

  #fail(appends: readonly WaitingAppend[], fault: AppendFault): void {
    for (const append of appends) {
      this.#settle(append);
      append.failed(fault);
    }
  }

  #openOf(topic: string, partition: number): Open {
    const key = `${topic}/${partition}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open: Open = { lane: newProducerState(topic, partition), queue: new AppendQueue() };
    this.#open.set(key, open);
    return open;
  }

  #enqueue({ topic, partition, append }: Unplaced, count: number): void {
    const chosen = partition ?? partitionOfKey(append.records[0]?.key ?? '', count);
    const { queue } = this.#openOf(topic, chosen);
    if (queue.hasRoomFor(append)) queue.push(append);
    else this.#fail([append], notAppended(`too many appends are waiting for partition ${chosen} of ${topic}`));
  }

  #expire(): void {
    const now = this.#deps.clock.monotonic();
    const { unreachable } = this.#questions;
    const late = this.#unplaced.filter(({ append }) => isPastDeadline(append, now));
    if (late.length > 0) {
      this.#unplaced = this.#unplaced.filter(({ append }) => !isPastDeadline(append, now));
      const reason = unreachable ?? 'Kafka does not answer';
      this.#fail(
        late.map(({ append }) => append),
        notAppended(reason),
      );
    }
    for (const open of this.#open.values()) {
      this.#apply(open, { tag: 'time_passed', now });
      const given_up = open.queue.takeLate(now);
      if (given_up.length === 0) continue;
      this.#fail(given_up, notAppended(open.lane.fault ?? unreachable ?? 'Kafka did not accept the record in time'));
    }
  }

  /** Asks once for each topic, because partition counts never change. If a topic does not exist, its appends fail. */
  async #place(): Promise<boolean> {
    for (const topic of new Set(this.#unplaced.map((one) => one.topic))) {
      if (this.#counts.has(topic)) continue;
      try {
        this.#counts.set(topic, await this.#deps.partitionsOf(topic));
      } catch (error) {
        if (!isMissingTopic(error)) throw error;
        const missing = this.#unplaced.filter((one) => one.topic === topic).map(({ append }) => append);
        this.#unplaced = this.#unplaced.filter((one) => one.topic !== topic);
        this.#fail(missing, notAppended(`there is no topic ${topic}: run the deploy step`));
      }
    }
    // An append that arrived during these requests may have a topic without a known count. It waits for the next turn.
    const placed = this.#unplaced.filter(({ topic }) => this.#counts.has(topic));
    this.#unplaced = this.#unplaced.filter(({ topic }) => !this.#counts.has(topic));
    for (const one of placed) this.#enqueue(one, this.#counts.get(one.topic) ?? 1);
    return placed.length > 0;
  }

  async #send(name: string, { through, leader, all }: Route): Promise<void> {
    const { clock } = this.#deps;
    const began = clock.monotonic();
    const tried = all.flatMap((open) => {
      this.#apply(open, { tag: 'sent', now: began });
      return open.lane.batch === null ? [] : [{ open, numbered: open.lane.batch.numbered }];
    });
    this.#busy.add(name);
    const outcomes = await through.send(
      leader,
      tried.map(({ numbered }) => numbered),
    );
    this.#busy.delete(name);
    for (const [index, { open, numbered }] of tried.entries()) {
      const now = clock.monotonic();
      const outcome = outcomes[index] ?? UNANSWERED;
      this.#apply(open, { tag: 'answered', numbered, outcome, took_ms: now - began, now });
    }
    this.#wake();
  }

  #dispatch(): void {
    const now = this.#deps.clock.monotonic();
    const routes = new Map<string, Route>();
    for (const [key, open] of [...this.#open]) {
      if (!hasWork(open) || !canSend(open.lane, now)) continue;
      const { topic, partition, is_impeded } = open.lane;
      const through = is_impeded ? this.#deps.impeded : this.#deps.producer;
      const leader = through.leaderOf(topic, partition);
      const identity = open.lane.identity ?? this.#identity;
      if (leader === undefined || identity === null) continue;
      if (leader === null) {
        this.#apply(open, { tag: 'leaderless', now });
        continue;
      }
      const name = `${is_impeded ? 'impeded ' : ''}${leader}`;
      if (this.#busy.has(name)) continue;
      const route = routes.get(name) ?? { through, leader, size_bytes: 0, all: [] };
      routes.set(name, route);
      if (route.size_bytes >= MAX_SEND_BYTES - MAX_BATCH_BYTES) continue;
      if (open.lane.batch === null) this.#apply(open, { tag: 'batched', appends: open.queue.takeBatch(), identity });
      route.size_bytes += open.lane.batch?.size_bytes ?? 0;
      route.all.push(open);
      // Partitions take turns: this partition is last in the next turn.
      this.#open.delete(key);
      this.#open.set(key, open);
    }
    for (const [name, route] of routes) void this.#send(name, route);
  }

  #askForLeaders(kind: string, through: Producer, all: readonly Open[]): void {
    const topics = new Set(all.map(({ lane }) => lane.topic));
    if (topics.size > 0)
      this.#questions.ask(
        kind,
        () => through.refreshMetadata([...topics]),
        () => this.#wake(),
      );
  }

  async #askForIdentity(): Promise<boolean> {
    this.#identity = await this.#deps.producer.newIdentity();
    return true;
  }

  #turn(): void {
    const { producer, impeded, clock } = this.#deps;
    const wake = (): void => this.#wake();
    if (this.#unplaced.length > 0) this.#questions.ask('places', () => this.#place(), wake);
    const working = [...this.#open.values()].filter(hasWork);
    this.#askForLeaders('leaders', producer, working);
    this.#askForLeaders(
      'leaders of the impeded',
      impeded,
      working.filter(({ lane }) => lane.is_impeded),
    );
    if (this.#identity === null && working.some(({ lane }) => lane.identity === null))
      this.#questions.ask('identity', () => this.#askForIdentity(), wake);
    this.#dispatch();
    if (this.#hasWork()) this.#cancelRetry ??= clock.after(RETRY_MS, () => this.#retry());
    else this.#onIdle?.();
  }

  #hasWork(): boolean {
    return this.#unplaced.length > 0 || this.#open.values().some(hasWork);
  }

  #retry(): void {
    this.#cancelRetry = null;
    this.#wake();
  }

  /** Appends of the same turn of the event loop share a batch. */
  #wake(): void {
    if (this.#is_woken) return;
    this.#is_woken = true;
    queueMicrotask(() => {
      this.#is_woken = false;
      this.#turn();
    });
  }

  #refusal(records: PutRequest['records'], size_bytes: number): string | null {
    const [what, max_bytes] = records.length > 1 ? ['batch', MAX_BATCH_BYTES] : ['record', MAX_RECORD_BYTES];
    if (this.#is_closed) return 'the event log is closed';
    if (size_bytes > max_bytes) return `the ${what} has ${size_bytes} bytes; at most ${max_bytes}`;
    const has_room =
      this.#waiting_records + records.length <= MAX_WAITING_RECORDS &&
      this.#waiting_bytes + size_bytes <= MAX_WAITING_BYTES;
    return has_room ? null : 'too many appends are waiting for Kafka';
  }

  put({ topic, partition, records }: PutRequest): Promise<Either<AppendFault, readonly Appended[]>> {
    const size_bytes = records.reduce((sum, record) => sum + recordSizeBytes(record), 0);
    const refusal = this.#refusal(records, size_bytes);
    if (refusal !== null) return Promise.resolve(left(notAppended(refusal)));
    return new Promise((resolve) => {
      this.#waiting_records += records.length;
      this.#waiting_bytes += size_bytes;
      const append: WaitingAppend = {
        ...{ records, size_bytes, deadline_ms: this.#deps.clock.monotonic() + WAIT_MS },
        appended: (places) => resolve(right(places)),
        failed: (fault) => resolve(left(fault)),
      };
      const count = this.#counts.get(topic);
      if (count === undefined) this.#unplaced.push({ topic, partition, append });
      else this.#enqueue({ topic, partition, append }, count);
      this.#wake();
    });
  }

  countImpeded(): number {
    return this.#open.values().reduce((sum, { lane }) => sum + (lane.is_impeded ? 1 : 0), 0);
  }

  async close(): Promise<void> {
    const { producer, impeded, clock } = this.#deps;
    this.#is_closed = true;
    if (this.#hasWork()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      const cancel = clock.after(CLOSE_MS, resolve);
      await promise;
      cancel();
    }
    this.#endExpiry();
    this.#cancelRetry?.();
    await Promise.all([producer.close(), impeded.close()]);
  }
}

/**
 * Sends the appends of a partition in order, one batch at a time. All partitions of a broker share one request at a
 * time. A thousand concurrent appends cost about as much as one: a round trip.
 *
 * Partitions fail independently (ADR 51). If a broker refuses the records of a partition, the partition uses separate
 * connections until a broker accepts a batch quickly. A batch of unknown outcome is sent again unchanged, and the
 * broker recognises the repetition.
 */
export const createAppender = (deps: AppenderDependencies): Appender => {
  const appender = new BatchingAppender(deps);
  return {
    append: async ({ topic, partition, ...record }) => {
      const appended = await appender.put({ topic, partition, records: [record] });
      return chain(([place]: readonly Appended[]) => (place === undefined ? left(UNPLACED) : right(place)))(appended);
    },
    appendBatch: (request) => appender.put(request),
    impeded: () => appender.countImpeded(),
    close: () => appender.close(),
  };
};
