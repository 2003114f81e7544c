import { chain, type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import type { Clock } from '../process/clock.ts';
import {
  batchLength,
  MAX_BATCH_BYTES,
  MAX_RECORD_BYTES,
  MAX_SEND_BYTES,
  MAX_SHARE,
  MAX_WAITING_BYTES,
  MAX_WAITING_RECORDS,
  sizeOf,
  type WaitingAppend,
} from './append-queue.ts';
import type { Appended, AppendFault, AppendRequest, BatchRequest, EventLog } from './event-log.ts';
import { isMissingTopic } from './kafka-faults.ts';
import { partitionOfKey } from './partition-of-key.ts';
import type { NumberedBatch, Producer, ProducerIdentity, TryOutcome } from './producer.ts';

export type Appender = Pick<EventLog, 'append' | 'appendBatch'> & {
  /** Partitions that a broker does not take records for now. */
  readonly impeded: () => number;
  /** Sends what waits, for at most five seconds, and takes nothing more. */
  readonly close: () => Promise<void>;
};

export type AppenderDeps = {
  /** Its connections wait for nobody but the partitions that are well. */
  readonly producer: Producer;
  /** A second one, of other connections: a broker answers them one request after the other. */
  readonly impeded: Producer;
  /** How many a topic has. Rejects for one that is missing. */
  readonly partitionsOf: (topic: string) => Promise<number>;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** How long an append waits for its turn or for a broker, before it is given up as not appended. */
const WAIT_MS = 5_000;
/** How long a batch that may have been written is sent again, to learn whether it was. */
const LEARN_WITHIN_MS = 10_000;
const RETRY_MS = 200;
const CLOSE_MS = 5_000;
const EXPIRY_LOOK_MS = 500;
/** A partition that takes longer travels apart from the others. */
const WELL_WITHIN_MS = 1_000;
const SEQUENCES = 2 ** 31;

const notAppended = (message: string): AppendFault => ({ tag: 'not_appended', message });

const UNPLACED: AppendFault = { tag: 'outcome_unknown', message: 'the brokers did not say where it went' };

const UNANSWERED: TryOutcome = { tag: 'unknown', message: UNPLACED.message, is_unanswered: true };

/** What is sent as it is until its outcome is known. */
type Sending = {
  readonly batch: NumberedBatch;
  readonly appends: readonly WaitingAppend[];
  readonly size_bytes: number;
  /** Since when it may have been written; null where it surely was not. */
  since: number | null;
};

type Lane = {
  readonly topic: string;
  readonly partition: number;
  waiting: WaitingAppend[];
  waiting_records: number;
  waiting_bytes: number;
  sending: Sending | null;
  is_under_way: boolean;
  identity: ProducerIdentity | null;
  sequence: number;
  is_impeded: boolean;
  not_before: number;
  /** The last fault, for those whose time runs out. */
  fault: string | null;
};

/**
 * Appends of each partition go in their order, one batch at a time, and all partitions of a broker together, one request
 * at a time. So a lone append costs one round trip, and a thousand at once cost about as much.
 *
 * Partitions fail alone: one without a leader waits, and one that its broker does not take records for, or not soon, is
 * sent over connections of its own until it is well. A batch whose outcome is unknown is sent again as it was, which
 * the broker takes for the same one.
 */
export const createAppender = ({ producer, impeded, partitionsOf, logger, clock }: AppenderDeps): Appender => {
  const warn = sparingWarnings(logger);
  const counts = new Map<string, number>();
  const lanes = new Map<string, Lane>();
  /** Of topics whose number of partitions is not known yet. */
  let unplaced: { readonly topic: string; readonly partition: number | undefined; readonly append: WaitingAppend }[] =
    [];
  let waiting_records = 0;
  let waiting_bytes = 0;
  /** For partitions that have none: none of them had this one before. */
  let identity: ProducerIdentity | null = null;
  /** Why nothing could be asked of the brokers the last time. */
  let unreachable: string | null = null;
  const busy = new Set<string>();
  const asking = new Set<string>();
  let is_woken = false;
  let cancelRetry: (() => void) | null = null;
  let onIdle: (() => void) | null = null;
  let closed = false;

  const settle = ({ records, size_bytes }: WaitingAppend): void => {
    waiting_records -= records.length;
    waiting_bytes -= size_bytes;
  };

  const fail = (appends: readonly WaitingAppend[], fault: AppendFault): void => {
    for (const append of appends) {
      settle(append);
      append.failed(fault);
    }
  };

  const keep = (lane: Lane, waiting: WaitingAppend[]): void => {
    lane.waiting = waiting;
    lane.waiting_records = waiting.reduce((sum, { records }) => sum + records.length, 0);
    lane.waiting_bytes = waiting.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  };

  const laneOf = (topic: string, partition: number): Lane => {
    const key = `${topic}/${partition}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const lane: Lane = {
      ...{ topic, partition, waiting: [], waiting_records: 0, waiting_bytes: 0, sending: null, is_under_way: false },
      ...{ identity: null, sequence: 0, is_impeded: false, not_before: 0, fault: null },
    };
    lanes.set(key, lane);
    return lane;
  };

  const enqueue = (topic: string, partition: number, append: WaitingAppend): void => {
    const lane = laneOf(topic, partition);
    const has_room =
      lane.waiting_records + append.records.length <= MAX_WAITING_RECORDS * MAX_SHARE &&
      lane.waiting_bytes + append.size_bytes <= MAX_WAITING_BYTES * MAX_SHARE;
    if (!has_room) {
      fail([append], notAppended(`too many appends are waiting for partition ${partition} of ${topic}`));
      return;
    }
    lane.waiting.push(append);
    lane.waiting_records += append.records.length;
    lane.waiting_bytes += append.size_bytes;
  };

  /** A batch that is given up may be written later still, so the next one must not look like its repetition. */
  const disown = (lane: Lane): void => {
    lane.sending = null;
    lane.identity = null;
    lane.sequence = 0;
    identity = null;
  };

  const expire = (): void => {
    const now = clock.monotonic();
    const isLate = ({ deadline_ms }: WaitingAppend): boolean => deadline_ms <= now;
    const late = unplaced.filter(({ append }) => isLate(append)).map(({ append }) => append);
    if (late.length > 0) {
      unplaced = unplaced.filter(({ append }) => !isLate(append));
      fail(late, notAppended(unreachable ?? 'Kafka does not answer'));
    }
    for (const lane of lanes.values()) {
      const { sending } = lane;
      if (sending !== null && sending.since !== null && now - sending.since > LEARN_WITHIN_MS) {
        disown(lane);
        fail(sending.appends, { tag: 'outcome_unknown', message: lane.fault ?? 'the broker did not answer' });
      }
      if (!lane.waiting.some(isLate)) continue;
      const given_up = lane.waiting.filter(isLate);
      keep(
        lane,
        lane.waiting.filter((append) => !isLate(append)),
      );
      fail(given_up, notAppended(lane.fault ?? unreachable ?? 'Kafka did not keep up'));
    }
  };

  /** Counts of partitions are fixed for ever, so each is asked once. A topic that is missing fails its appends. */
  const place = async (): Promise<boolean> => {
    for (const topic of new Set(unplaced.map((one) => one.topic))) {
      if (counts.has(topic)) continue;
      try {
        counts.set(topic, await partitionsOf(topic));
      } catch (error) {
        if (!isMissingTopic(error)) throw error;
        const missing = unplaced.filter((one) => one.topic === topic).map(({ append }) => append);
        unplaced = unplaced.filter((one) => one.topic !== topic);
        fail(missing, notAppended(`there is no topic ${topic}: run the deploy step`));
      }
    }
    // What came meanwhile may be of a topic that was not asked about yet: it waits for the next turn.
    const placed = unplaced.filter(({ topic }) => counts.has(topic));
    unplaced = unplaced.filter(({ topic }) => !counts.has(topic));
    for (const { topic, partition, append } of placed) {
      enqueue(topic, partition ?? partitionOfKey(append.records[0]?.key ?? '', counts.get(topic) ?? 1), append);
    }
    return placed.length > 0;
  };

  const nextOf = (lane: Lane, its: ProducerIdentity): Sending => {
    const appends = lane.waiting.slice(0, batchLength(lane.waiting));
    keep(lane, lane.waiting.slice(appends.length));
    lane.identity = its;
    const { topic, partition, sequence } = lane;
    const records = appends.flatMap((append) => append.records);
    return {
      batch: { topic, partition, records, identity: its, first_sequence: sequence },
      appends,
      size_bytes: appends.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      since: null,
    };
  };

  const hinder = (lane: Lane, message: string, is_unanswered: boolean): void => {
    const { topic, partition, is_impeded } = lane;
    lane.fault = message;
    lane.not_before = clock.monotonic() + RETRY_MS;
    if (is_impeded || is_unanswered) return;
    lane.is_impeded = true;
    logger.warn({ topic, partition, reason: message }, 'a partition takes no records now');
  };

  const isWell = (lane: Lane, took_ms: number): void => {
    lane.fault = null;
    if (!lane.is_impeded || took_ms > WELL_WITHIN_MS) return;
    lane.is_impeded = false;
    logger.info({ topic: lane.topic, partition: lane.partition }, 'a partition takes records again');
  };

  const putBack = (lane: Lane, { appends }: Sending): void => {
    lane.sending = null;
    keep(lane, [...appends, ...lane.waiting]);
  };

  const conclude = (lane: Lane, sending: Sending, outcome: TryOutcome, took_ms: number): void => {
    lane.is_under_way = false;
    // It was given up meanwhile.
    if (lane.sending !== sending) return;
    const { appends, batch } = sending;
    switch (outcome.tag) {
      case 'appended': {
        lane.sending = null;
        lane.sequence = (lane.sequence + batch.records.length) % SEQUENCES;
        isWell(lane, took_ms);
        let { offset } = outcome;
        for (const append of appends) {
          settle(append);
          const places = append.records.map((_, index) => ({
            partition: lane.partition,
            offset: offset + index,
            append_time_ms: outcome.append_time_ms,
          }));
          offset += append.records.length;
          append.appended(places);
        }
        return;
      }
      case 'refused':
        lane.sending = null;
        // An earlier try may have been written all the same.
        if (sending.since !== null) disown(lane);
        fail(appends, {
          tag: sending.since === null ? 'not_appended' : 'outcome_unknown',
          ...{ message: outcome.message, too_large: outcome.too_large },
        });
        return;
      case 'unknown':
        hinder(lane, outcome.message, outcome.is_unanswered);
        return;
      case 'not_written':
        hinder(lane, outcome.message, outcome.is_unanswered);
        // Of an earlier try it is not known: the batch stays as it is.
        if (sending.since === null) putBack(lane, sending);
        return;
      case 'disowned':
        hinder(lane, outcome.message, outcome.is_unanswered);
        disown(lane);
        if (sending.since === null) putBack(lane, sending);
        else fail(appends, { tag: 'outcome_unknown', message: outcome.message });
    }
  };

  const send = async (through: Producer, leader: number, route: string, its: readonly Lane[]): Promise<void> => {
    const began = clock.monotonic();
    const tried = its.flatMap((lane) => (lane.sending === null ? [] : [{ lane, sending: lane.sending }]));
    const before = tried.map(({ sending }) => sending.since);
    for (const { lane, sending } of tried) {
      lane.is_under_way = true;
      sending.since ??= began;
    }
    busy.add(route);
    const outcomes = await through.send(
      leader,
      tried.map(({ sending }) => sending.batch),
    );
    busy.delete(route);
    for (const [index, { lane, sending }] of tried.entries()) {
      const outcome = outcomes[index] ?? UNANSWERED;
      const known = outcome.tag !== 'unknown' && outcome.tag !== 'appended';
      if (known && lane.sending === sending) sending.since = before[index] ?? null;
      conclude(lane, sending, outcome, clock.monotonic() - began);
    }
    wake();
  };

  const isDue = (lane: Lane, now: number): boolean =>
    !lane.is_under_way && now >= lane.not_before && (lane.sending !== null || lane.waiting.length > 0);

  /** Starts whatever can be sent now. */
  const dispatch = (): void => {
    const now = clock.monotonic();
    const routes = new Map<string, { through: Producer; leader: number; size_bytes: number; lanes: Lane[] }>();
    for (const [key, lane] of [...lanes]) {
      if (!isDue(lane, now)) continue;
      const through = lane.is_impeded ? impeded : producer;
      const leader = through.leaderOf(lane.topic, lane.partition);
      const its = lane.identity ?? identity;
      if (leader === undefined || its === null) continue;
      if (leader === null) {
        hinder(lane, `partition ${lane.partition} of ${lane.topic} has no leader`, false);
        continue;
      }
      const name = `${lane.is_impeded ? 'impeded ' : ''}${leader}`;
      if (busy.has(name)) continue;
      const route = routes.get(name) ?? { through, leader, size_bytes: 0, lanes: [] };
      routes.set(name, route);
      if (route.size_bytes >= MAX_SEND_BYTES - MAX_BATCH_BYTES) continue;
      lane.sending ??= nextOf(lane, its);
      route.size_bytes += lane.sending.size_bytes;
      route.lanes.push(lane);
      // Whoever had its turn is last in the next one.
      lanes.delete(key);
      lanes.set(key, lane);
    }
    for (const [name, { through, leader, lanes: its }] of routes) void send(through, leader, name, its);
  };

  const hasWork = (): boolean =>
    unplaced.length > 0 || lanes.values().some(({ waiting, sending }) => waiting.length > 0 || sending !== null);

  /** One question at a time of each kind, while whatever can be sent is sent. */
  const ask = (what: string, question: () => Promise<boolean>): void => {
    if (asking.has(what)) return;
    asking.add(what);
    question()
      .then(
        (is_new) => {
          unreachable = null;
          if (is_new) wake();
        },
        (error: unknown) => {
          unreachable = `Kafka cannot be reached: ${messageOf(error)}`;
          warn({ reason: messageOf(error) }, 'Kafka cannot be reached');
        },
      )
      .finally(() => asking.delete(what));
  };

  const askForLeaders = (what: string, through: Producer, its: readonly Lane[]): void => {
    const topics = new Set(its.map(({ topic }) => topic));
    if (topics.size > 0) ask(what, () => through.learn([...topics]));
  };

  const askForIdentity = async (): Promise<boolean> => {
    identity = await producer.newIdentity();
    return true;
  };

  const turn = (): void => {
    if (unplaced.length > 0) ask('places', place);
    const working = [...lanes.values()].filter(({ waiting, sending }) => waiting.length > 0 || sending !== null);
    askForLeaders('leaders', producer, working);
    askForLeaders(
      'leaders of the impeded',
      impeded,
      working.filter(({ is_impeded }) => is_impeded),
    );
    if (identity === null && working.some((lane) => lane.identity === null)) ask('identity', askForIdentity);
    dispatch();
    if (hasWork()) cancelRetry ??= clock.after(RETRY_MS, retry);
    else onIdle?.();
  };

  const retry = (): void => {
    cancelRetry = null;
    wake();
  };

  /** What is appended in the same turn of the event loop goes together. */
  const wake = (): void => {
    if (is_woken) return;
    is_woken = true;
    queueMicrotask(() => {
      is_woken = false;
      turn();
    });
  };

  const endExpiry = clock.every(EXPIRY_LOOK_MS, expire);

  const put = ({
    topic,
    partition,
    records,
  }: Omit<BatchRequest, 'partition'> & Pick<AppendRequest, 'partition'>): Promise<
    Either<AppendFault, readonly Appended[]>
  > => {
    const size_bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    const [what, most_bytes] = records.length > 1 ? ['batch', MAX_BATCH_BYTES] : ['record', MAX_RECORD_BYTES];
    const refused = (message: string) => Promise.resolve(left(notAppended(message)));
    if (closed) return refused('the event log is closed');
    if (size_bytes > most_bytes) return refused(`the ${what} has ${size_bytes} bytes; at most ${most_bytes}`);
    if (waiting_records + records.length > MAX_WAITING_RECORDS || waiting_bytes + size_bytes > MAX_WAITING_BYTES) {
      return refused('too many appends are waiting for Kafka');
    }
    return new Promise((resolve) => {
      waiting_records += records.length;
      waiting_bytes += size_bytes;
      const append: WaitingAppend = {
        ...{ records, size_bytes, deadline_ms: clock.monotonic() + WAIT_MS },
        appended: (places) => resolve(right(places)),
        failed: (fault) => resolve(left(fault)),
      };
      const count = counts.get(topic);
      if (count === undefined) unplaced.push({ topic, partition, append });
      else enqueue(topic, partition ?? partitionOfKey(records[0]?.key ?? '', count), append);
      wake();
    });
  };

  return {
    append: async ({ topic, partition, ...record }) => {
      const appended = await put({ topic, partition, records: [record] });
      return chain(([place]: readonly Appended[]) => (place === undefined ? left(UNPLACED) : right(place)))(appended);
    },
    appendBatch: put,
    impeded: () => lanes.values().reduce((sum, { is_impeded }) => sum + (is_impeded ? 1 : 0), 0),
    close: async () => {
      closed = true;
      if (hasWork()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onIdle = resolve;
        const cancel = clock.after(CLOSE_MS, resolve);
        await promise;
        cancel();
      }
      endExpiry();
      cancelRetry?.();
      await Promise.all([producer.close(), impeded.close()]);
    },
  };
};
