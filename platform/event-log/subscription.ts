import { setTimeout as pause } from 'node:timers/promises';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import type { Readiness } from '../process/readiness.ts';
import { retry } from '../process/retry.ts';
import { within } from '../process/within.ts';
import { createConsumer, HEARTBEAT_MS, PASSING_ERRORS } from './consumer-settings.ts';
import { StopPartition, type Subscription, type SubscriptionOptions } from './event-log.ts';
import { isMissingTopic, kafkaFault } from './kafka-faults.ts';
import { logRecord } from './log-record.ts';
import { type Bounds, startingPoint, type TopicPartition } from './starting-point.ts';

export type SubscriptionDependencies = {
  readonly kafka: Kafka;
  readonly bounds: Bounds;
  readonly isKeptForEver: (topic: string) => boolean;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly on_crash: (error: unknown) => void;
  /** Aborted when the event log is closed: a subscription that still waits for Kafka gives up. */
  readonly closing: AbortSignal;
};

const COMMIT_MS = 5_000;
const STOP_MS = 6_000;
const TOPIC_PAUSE_MS = 1_000;
const LATE_POSITION_MS = 10_000;
const HAND_OVER_MS = 1_000;
/** kafkajs reads on from a broker only once all batches that came from it together are done. */
const SLOW_BATCH_MS = 1_000;
const DONE: Promise<void> = Promise.resolve();

const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

const byTopic = (partitions: readonly TopicPartition[]): readonly (readonly [string, readonly number[]])[] =>
  Array.from(
    Map.groupBy(partitions, ({ topic }) => topic),
    ([topic, ofTopic]) => [topic, ofTopic.map(({ partition }) => partition)] as const,
  );

/** Joins the group and hands over batches that begin exactly where the subscriber stands. See `SubscriptionOptions`. */
export const subscribe = async (
  options: SubscriptionOptions,
  { kafka, bounds, isKeptForEver, logger: parent, readiness, on_crash, closing }: SubscriptionDependencies,
): Promise<Subscription> => {
  const logger = parent.child({ group: options.group });
  const warn = sparingWarnings(logger);
  /** Partitions that others are to have, as far as they can: see `handOver`. */
  const unreadable = new Set<string>();
  const consumer = createConsumer(kafka, options.group, () => [...unreadable]);

  let owned: ReadonlyMap<string, TopicPartition> = new Map();
  let memberId: string | undefined;
  /** Counts assignments: what was begun for one is dropped when the next has come. */
  let generation = 0;
  let assigning: Promise<void> = DONE;
  /** Until it is known where a partition begins, and this is settled, nothing is read of it. Never rejects. */
  const positioning = new Map<string, Promise<void>>();
  /** Partitions whose batch takes long. The others do not wait for it. */
  const slow = new Set<string>();
  /** The offset that each partition's next batch must begin at. */
  const expected = new Map<string, number>();
  const committed = new Map<string, number>();
  const stopped = new Set<string>();
  const paused = new Set<string>();
  const misaligned = new Map<string, number>();
  let ended = false;
  let left = false;
  let commitTimer: NodeJS.Timeout | undefined;
  const joined = Promise.withResolvers<void>();

  /** While kafkajs starts again there is nothing to steer; all of it is done anew at the next assignment. */
  const steer = (how: () => void): void => {
    try {
      how();
    } catch (error) {
      logger.debug({ reason: messageOf(error) }, 'the consumer cannot be steered now');
    }
  };

  const halt = ({ topic, partition }: TopicPartition): void =>
    steer(() => consumer.pause([{ topic, partitions: [partition] }]));

  const unhalt = ({ topic, partition }: TopicPartition): void =>
    steer(() => consumer.resume([{ topic, partitions: [partition] }]));

  const crash = (error: unknown): void => {
    if (ended || left || closing.aborted) return;
    ended = true;
    logger.fatal({ error }, 'a subscription crashed');
    on_crash(error);
    for (const topicPartition of owned.values()) halt(topicPartition);
  };

  const stopPartition = (topicPartition: TopicPartition, reason: string): void => {
    stopped.add(keyOf(topicPartition));
    readiness.set(`${options.group} ${keyOf(topicPartition)}`, `stopped: ${reason}`);
    logger.error({ ...topicPartition, offset: expected.get(keyOf(topicPartition)), reason }, 'a partition was stopped');
    halt(topicPartition);
  };

  const unstop = (topicPartition: TopicPartition): boolean => {
    readiness.set(`${options.group} ${keyOf(topicPartition)}`, null);
    return stopped.delete(keyOf(topicPartition));
  };

  const seek = (topicPartition: TopicPartition, offset: number): void => {
    expected.set(keyOf(topicPartition), offset);
    steer(() => consumer.seek({ ...topicPartition, offset: String(offset) }));
  };

  const startOf = (topicPartition: TopicPartition, position: number): Promise<number> =>
    startingPoint(topicPartition, position, { bounds, isKeptForEver, logger, closing });

  /** Until it is known nothing is read, of any partition: after a while readiness says so. */
  const positionOf = async (topicPartition: TopicPartition): Promise<number> => {
    const problem = `${options.group} ${keyOf(topicPartition)}`;
    let is_late = false;
    const late = setTimeout(() => {
      is_late = true;
      readiness.set(problem, 'its position is not known yet');
    }, LATE_POSITION_MS);
    try {
      return await options.position(topicPartition.topic, topicPartition.partition);
    } finally {
      clearTimeout(late);
      if (is_late && !stopped.has(keyOf(topicPartition))) readiness.set(problem, null);
    }
  };

  const guarded = async (topicPartition: TopicPartition, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StopPartition)) throw error;
      stopPartition(topicPartition, error.message);
    }
  };

  /** Where it goes on in this assignment. What it waits for, as a leader, concerns no other partition. */
  const begin = async (topicPartition: TopicPartition, its: number): Promise<void> => {
    const key = keyOf(topicPartition);
    await guarded(topicPartition, async () => {
      // It may be another member's by now, and asking for a position may make it ours.
      if (its !== generation || ended) return;
      const before = expected.get(key);
      const wanted = await positionOf(topicPartition);
      if (its !== generation || ended) return;
      const position = await startOf(topicPartition, wanted);
      if (its !== generation || ended) return;
      const now_expected = expected.get(key);
      // The subscriber may have gone elsewhere in the meantime.
      const start = now_expected === undefined || now_expected === before ? position : now_expected;
      misaligned.delete(key);
      committed.set(key, start);
      seek(topicPartition, start);
      // kafkajs remembers pauses of partitions that were another member's in between.
      if (stopped.has(key) || paused.has(key)) halt(topicPartition);
      else unhalt(topicPartition);
    });
  };

  const takeAssignment = async (partitions: readonly TopicPartition[], member: string, its: number): Promise<void> => {
    const now = new Map(partitions.map((topicPartition) => [keyOf(topicPartition), topicPartition]));
    // Another member id means that this one was expelled meanwhile: others may have had its partitions.
    const kept = member === memberId ? owned : new Map<string, TopicPartition>();
    const lost = Array.from(owned).filter(([key]) => !(kept.has(key) && now.has(key)));
    const gained = Array.from(now).filter(([key]) => !kept.has(key));
    owned = now;
    memberId = member;
    for (const [key, topicPartition] of lost) {
      expected.delete(key);
      paused.delete(key);
      // Whoever has it now looks at it anew.
      if (stopped.has(key)) unstop(topicPartition);
    }
    for (const [topic, partitions] of byTopic(lost.map(([, topicPartition]) => topicPartition))) {
      await options.on_revoked?.(topic, partitions);
    }
    for (const [topic, partitions] of byTopic(gained.map(([, topicPartition]) => topicPartition))) {
      await options.on_assigned?.(topic, partitions);
    }
    slow.clear();
    for (const [key, topicPartition] of now) {
      const position = (positioning.get(key) ?? DONE).then(() => begin(topicPartition, its)).catch(crash);
      positioning.set(key, position);
    }
    for (const [key] of lost) if (!now.has(key)) positioning.delete(key);
    logger.info({ partitions: [...now.keys()], gained: gained.length, lost: lost.length }, 'partitions assigned');
  };

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    generation += 1;
    const its = generation;
    assigning = assigning.then(() => takeAssignment(assigned, payload.memberId, its)).catch(crash);
    void assigning.then(async () => {
      // One that waits for its leader keeps nobody: readiness tells of it.
      await within(LATE_POSITION_MS, Promise.all(positioning.values()), () => []);
      joined.resolve();
    });
  });
  let joinAgain = false;
  let joinTimer: NodeJS.Timeout | undefined;
  // kafkajs joins anew, as the same member, where the fetch that begins here fails as for a rebalance. What it says of
  // itself then differs, so the broker has the group assign its partitions anew.
  consumer.on(consumer.events.FETCH_START, () => {
    if (!joinAgain) return;
    joinAgain = false;
    throw Object.assign(new Error('partitions are handed over'), { type: 'REBALANCE_IN_PROGRESS' });
  });
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) warn({ reason: error.message }, 'the consumer starts again');
    else if (PASSING_ERRORS.has(error.name)) {
      warn({ reason: error.message }, 'the consumer is started again');
      // It rejects only once nothing is to be read any more.
      startAgain().catch(() => undefined);
    } else crash(error);
  });

  /** A batch that begins elsewhere: records are missing, or the position moved. Goes back to where we stand, once. */
  const realign = async (topicPartition: TopicPartition, wanted: number, found: number): Promise<void> => {
    const key = keyOf(topicPartition);
    const start = await startOf(topicPartition, wanted);
    if (start === wanted && found > wanted && misaligned.get(key) === wanted) {
      throw new StopPartition(`records ${wanted} to ${found - 1} are missing from the log`);
    }
    misaligned.set(key, wanted);
    logger.warn({ ...topicPartition, wanted, found }, 'a batch began elsewhere');
    seek(topicPartition, start);
  };

  const commit = async (): Promise<void> => {
    commitTimer = undefined;
    const offsets = Array.from(owned).flatMap(([key, topicPartition]) => {
      const offset = expected.get(key);
      return offset === undefined || offset === committed.get(key)
        ? []
        : [{ ...topicPartition, offset: String(offset), key }];
    });
    if (offsets.length === 0) return;
    await consumer.commitOffsets(offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
    for (const { key, offset } of offsets) committed.set(key, Number(offset));
  };

  /** Now and then, and only after something was read, so that an idle consumer stays idle. */
  const commitSoon = (): void => {
    commitTimer ??= setTimeout(() => {
      commit().catch((error) => logger.debug({ reason: messageOf(error) }, 'offsets were not committed'));
    }, COMMIT_MS).unref();
  };

  const take = async ({ batch, resolveOffset, isRunning, isStale }: EachBatchPayload): Promise<void> => {
    const topicPartition = { topic: batch.topic, partition: batch.partition };
    const key = keyOf(topicPartition);
    await assigning;
    await positioning.get(key);
    const wanted = expected.get(key);
    if (ended || !isRunning() || isStale() || wanted === undefined) return;
    if (stopped.has(key) || paused.has(key) || slow.has(key)) return;
    const records = batch.messages.map((message) => logRecord(topicPartition.topic, topicPartition.partition, message));
    const first = records[0];
    const last = records.at(-1);
    if (first === undefined || last === undefined) return;
    if (first.offset !== wanted) return realign(topicPartition, wanted, first.offset);
    if (last.offset - first.offset !== records.length - 1) {
      throw new StopPartition(`records are missing between ${first.offset} and ${last.offset}`);
    }
    const its = generation;
    const working = options.on_batch({ ...topicPartition, records, high_watermark: Number(batch.highWatermark) });
    const isDone = (): boolean => {
      // Moved by `seek` in the meantime.
      if (expected.get(key) !== wanted) return false;
      misaligned.delete(key);
      expected.set(key, last.offset + 1);
      commitSoon();
      return true;
    };
    const in_time = await within(
      SLOW_BATCH_MS,
      working.then(() => true),
      () => false,
    );
    if (in_time) {
      if (isDone()) resolveOffset(String(last.offset));
      return;
    }
    slow.add(key);
    halt(topicPartition);
    const goOn = async (): Promise<void> => {
      try {
        await working;
      } finally {
        // With another assignment it begins anew.
        if (its === generation) slow.delete(key);
      }
      if (its !== generation) return;
      isDone();
      const next = expected.get(key);
      if (next !== undefined) seek(topicPartition, next);
      if (!stopped.has(key) && !paused.has(key)) unhalt(topicPartition);
    };
    guarded(topicPartition, goOn).catch(crash);
  };

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { topic, partition } = payload.batch;
    // kafkajs beats between batches only. A beat that fails is repeated by kafkajs after the batch, and dealt with.
    const beats = setInterval(() => void payload.heartbeat().catch(() => undefined), HEARTBEAT_MS);
    try {
      await guarded({ topic, partition }, () => take(payload));
    } catch (error) {
      crash(error);
    } finally {
      clearInterval(beats);
    }
  };

  const run = (): Promise<void> =>
    consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrency ?? 1,
      eachBatch,
    });

  /** Tries each second, until the subscription is closed. */
  const untilKafkaTakes = (work: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void> =>
    retry(work, {
      clock: SYSTEM_CLOCK,
      signal: closing,
      policy: () => TOPIC_PAUSE_MS,
      isTransient: () => !ended && !left,
      onFailure,
    });

  const startAgain = async (): Promise<void> => {
    await pause(TOPIC_PAUSE_MS, undefined, { signal: closing });
    const start = async (): Promise<void> => {
      if (ended || left) return;
      await consumer.connect();
      await run();
    };
    await untilKafkaTakes(start, (error) => warn({ reason: messageOf(error) }, 'waiting for Kafka'));
  };

  const problem = `subscription ${options.group}`;
  readiness.set(problem, 'not joined yet');
  const subscribe = async (): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
  };
  await untilKafkaTakes(subscribe, (error) => {
    const why = isMissingTopic(error)
      ? `a topic of ${options.topics.join(', ')} is missing: run the deploy step`
      : `Kafka cannot be reached: ${kafkaFault(error).message}`;
    readiness.set(problem, why);
    warn({ reason: why }, 'waiting');
  });
  await run();
  const abandon = (): void => joined.reject(new Error('the event log was closed'));
  closing.addEventListener('abort', abandon, { once: true });
  await joined.promise.finally(() => closing.removeEventListener('abort', abandon));
  readiness.set(problem, null);

  return {
    stop: async () => {
      if (left) return;
      left = true;
      const leave = async (): Promise<void> => {
        await commit().catch(() => undefined);
        await consumer.disconnect();
      };
      clearTimeout(commitTimer);
      clearTimeout(joinTimer);
      // Without a broker there is no group to leave.
      await Promise.race([leave().catch(() => undefined), pause(STOP_MS, undefined, { ref: false })]);
      ended = true;
      await assigning;
      // Waits end: the process may live on.
      for (const key of stopped) readiness.set(`${options.group} ${key}`, null);
      for (const [topic, partitions] of byTopic([...owned.values()])) await options.on_revoked?.(topic, partitions);
      owned = new Map();
    },
    lag: async () => {
      const topics = new Set(Array.from(owned.values(), ({ topic }) => topic));
      let lag = 0;
      for (const topic of topics) {
        for (const { partition, end } of await bounds(topic)) {
          lag += Math.max(0, end - (expected.get(keyOf({ topic, partition })) ?? end));
        }
      }
      return lag;
    },
    pause: (topic, partition) => {
      const key = keyOf({ topic, partition });
      if (!owned.has(key)) return;
      paused.add(key);
      halt({ topic, partition });
    },
    resume: (topic, partition) => {
      const key = keyOf({ topic, partition });
      paused.delete(key);
      if (!stopped.has(key) && !slow.has(key)) unhalt({ topic, partition });
    },
    seek: (topic, partition, offset) => {
      if (owned.has(keyOf({ topic, partition }))) seek({ topic, partition }, offset);
    },
    stopPartition: (topic, partition, reason) => {
      if (owned.has(keyOf({ topic, partition }))) stopPartition({ topic, partition }, reason);
    },
    handOver: (topic, partition) => {
      const key = keyOf({ topic, partition });
      if (!owned.has(key) || unreadable.has(key)) return;
      unreadable.add(key);
      logger.warn({ topic, partition }, 'a partition is handed over to a process of newer code, if there is one');
      // Those that stop together are told together.
      joinTimer ??= setTimeout(() => {
        joinTimer = undefined;
        joinAgain = true;
      }, HAND_OVER_MS).unref();
    },
    restartPartition: (topic, partition, offset) => {
      const key = keyOf({ topic, partition });
      if (!owned.has(key) || !unstop({ topic, partition })) return;
      logger.info({ topic, partition, offset }, 'a stopped partition goes on');
      seek({ topic, partition }, offset);
      if (!paused.has(key) && !slow.has(key)) unhalt({ topic, partition });
    },
  };
};
