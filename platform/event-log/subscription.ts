import { setTimeout as pause } from 'node:timers/promises';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import { within } from '../process/within.ts';
import { type Assignment, byTopic, changesBetween, keyOf, newAssignment } from './assignment.ts';
import { createConsumer, PASSING_ERRORS } from './consumer-settings.ts';
import { StopPartition, type Subscription, type SubscriptionOptions } from './event-log.ts';
import { isMissingTopic, kafkaFault } from './kafka-faults.ts';
import { LATE_POSITION_MS, latePositions } from './late-positions.ts';
import { logRecord } from './log-record.ts';
import type { ReaderDependencies } from './reader-dependencies.ts';
import { startingPoint, type TopicPartition } from './starting-point.ts';

export type SubscriptionDependencies = ReaderDependencies & {
  readonly kafka: Kafka;
};

const COMMIT_MS = 5_000;
const STOP_MS = 6_000;
const TOPIC_PAUSE_MS = 1_000;
const HAND_OVER_MS = 1_000;
/** kafkajs reads on from a broker only once all batches that came from it together are done. */
const SLOW_BATCH_MS = 1_000;
/** How often it is looked whether a heartbeat is due, while batches are worked on. */
const BEAT_LOOK_MS = 500;
/** What a heartbeat is answered when this member has to join again. */
const JOIN_AGAIN: ReadonlySet<unknown> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'NOT_COORDINATOR_FOR_GROUP',
]);
const DONE: Promise<void> = Promise.resolve();

const mustJoinAgain = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && JOIN_AGAIN.has(error.type);

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

  let current = newAssignment('', []);
  /** By partition, what must end before it is opened anew: its revocation, and the search for its position before. */
  const underWay = new Map<string, Promise<void>>();
  const revoking = new Set<Promise<void>>();
  /** The offset that each partition's next batch must begin at. */
  const expected = new Map<string, number>();
  const committed = new Map<string, number>();
  const stopped = new Set<string>();
  const paused = new Set<string>();
  const misaligned = new Map<string, number>();
  const late = latePositions(readiness, (key) => `${options.group} ${key}`);
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

  /** kafkajs remembers pauses, of partitions that were another member's in between, too. */
  const haltOrResume = (topicPartition: TopicPartition): void => {
    const key = keyOf(topicPartition);
    if (!current.partitions.has(key)) return;
    const { topic, partition } = topicPartition;
    if (ended || current.pending.has(key) || current.slow.has(key) || stopped.has(key) || paused.has(key))
      halt(topicPartition);
    else steer(() => consumer.resume([{ topic, partitions: [partition] }]));
  };

  const crash = (error: unknown): void => {
    if (ended || left || closing.aborted) return;
    ended = true;
    logger.fatal({ error }, 'a subscription crashed');
    on_crash(error);
    for (const topicPartition of current.partitions.values()) halt(topicPartition);
  };

  const stopPartition = (topicPartition: TopicPartition, reason: string): void => {
    late.end(topicPartition);
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

  const startOf = (topicPartition: TopicPartition, position: number, { replaced }: Assignment): Promise<number> =>
    startingPoint(topicPartition, position, {
      ...{ bounds, isKeptForEver, logger, closing: AbortSignal.any([closing, replaced.signal]) },
    });

  /** Asked for again, ever later, until it is told or the next assignment comes. */
  const positionOf = ({ topic, partition }: TopicPartition, { replaced }: Assignment): Promise<number> =>
    retry(() => options.position(topic, partition), {
      clock: SYSTEM_CLOCK,
      signal: replaced.signal,
      isTransient: (error) => !(error instanceof StopPartition),
      onFailure: (error) => warn({ topic, partition, reason: messageOf(error) }, 'a position is not known yet'),
    });

  const guarded = async (topicPartition: TopicPartition, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StopPartition)) throw error;
      stopPartition(topicPartition, error.message);
    }
  };

  /** Where a partition goes on in this assignment. What it waits for concerns no other partition. */
  const begin = async (topicPartition: TopicPartition, its: Assignment, before: Promise<void>): Promise<void> => {
    const key = keyOf(topicPartition);
    const isReplaced = (): boolean => its !== current || ended;
    late.begin(topicPartition);
    await before;
    try {
      // It may be another member's by now, and asking for a position may make it ours.
      if (isReplaced()) return;
      const expected_before = expected.get(key);
      const wanted = await positionOf(topicPartition, its);
      if (isReplaced()) return;
      const position = await startOf(topicPartition, wanted, its);
      if (isReplaced()) return;
      const expected_now = expected.get(key);
      // The subscriber may have gone elsewhere in the meantime.
      const start = expected_now === undefined || expected_now === expected_before ? position : expected_now;
      misaligned.delete(key);
      committed.set(key, start);
      seek(topicPartition, start);
    } catch (error) {
      if (isReplaced()) return;
      if (!(error instanceof StopPartition)) throw error;
      stopPartition(topicPartition, error.message);
    } finally {
      if (its === current) {
        late.end(topicPartition);
        its.pending.delete(key);
        haltOrResume(topicPartition);
      }
    }
  };

  /** Never rejects. */
  const revoke = ({ topic, partition }: TopicPartition): Promise<void> => {
    const ending = (async () => await options.on_revoked?.(topic, [partition]))()
      .catch(crash)
      .finally(() => revoking.delete(ending));
    revoking.add(ending);
    return ending;
  };

  /** Without a wait, so that kafkajs fetches nothing in between. */
  const takeAssignment = (its: Assignment): void => {
    const { gained, lost } = changesBetween(current, its);
    const former = current;
    current = its;
    former.replaced.abort();
    for (const topicPartition of lost) {
      const key = keyOf(topicPartition);
      expected.delete(key);
      paused.delete(key);
      late.end(topicPartition);
      // The new owner looks at it anew.
      if (stopped.has(key)) unstop(topicPartition);
      const ending = [underWay.get(key) ?? DONE, revoke(topicPartition)];
      underWay.set(
        key,
        Promise.all(ending).then(() => undefined),
      );
    }
    for (const [topic, partitions] of byTopic(gained)) options.on_assigned?.(topic, partitions);
    for (const [key, topicPartition] of its.partitions) {
      const position = begin(topicPartition, its, underWay.get(key) ?? DONE).catch(crash);
      its.positioned.set(key, position);
      underWay.set(key, position);
    }
    if (!ended)
      logger.info(
        { partitions: [...its.partitions.keys()], gained: gained.length, lost: lost.length },
        'partitions assigned',
      );
  };

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    takeAssignment(newAssignment(payload.memberId, assigned));
    // One that waits for its leader keeps nobody: readiness tells of it.
    void within(LATE_POSITION_MS, Promise.all(current.positioned.values()), () => []).then(() => joined.resolve());
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    if (current.rebalancing.signal.aborted) current.rebalancing = new AbortController();
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
  const realign = async (
    topicPartition: TopicPartition,
    its: Assignment,
    wanted: number,
    found: number,
  ): Promise<void> => {
    const key = keyOf(topicPartition);
    const isOver = (): boolean => its !== current || ended || expected.get(key) !== wanted;
    try {
      const start = await startOf(topicPartition, wanted, its);
      if (isOver()) return;
      if (start === wanted && found > wanted && misaligned.get(key) === wanted) {
        throw new StopPartition(`records ${wanted} to ${found - 1} are missing from the log`);
      }
      misaligned.set(key, wanted);
      logger.warn({ ...topicPartition, wanted, found }, 'a batch began elsewhere');
      seek(topicPartition, start);
    } catch (error) {
      if (!isOver()) throw error;
    }
  };

  const commit = async (): Promise<void> => {
    commitTimer = undefined;
    const offsets = Array.from(current.partitions).flatMap(([key, topicPartition]) => {
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

  /**
   * Waits for work on a partition, but neither long nor while the group rebalances: then the work is left to itself, and
   * its partition is read on when it is done. With another assignment it begins anew.
   */
  const unlessSlow = async (
    topicPartition: TopicPartition,
    its: Assignment,
    working: Promise<void>,
    onDone: (in_time: boolean) => void,
  ): Promise<void> => {
    const key = keyOf(topicPartition);
    const { signal } = its.rebalancing;
    const { promise: rebalancing, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => resolve(false);
    signal.addEventListener('abort', giveUp, { once: true });
    const first = Promise.race([working.then(() => true), rebalancing]);
    const in_time = await within(SLOW_BATCH_MS, first, () => false).finally(() =>
      signal.removeEventListener('abort', giveUp),
    );
    if (in_time) return onDone(true);
    its.slow.add(key);
    halt(topicPartition);
    const goOn = async (): Promise<void> => {
      try {
        await working;
      } finally {
        its.slow.delete(key);
      }
      if (its !== current) return;
      onDone(false);
      const next = expected.get(key);
      if (next !== undefined) seek(topicPartition, next);
      haltOrResume(topicPartition);
    };
    guarded(topicPartition, goOn).catch(crash);
  };

  /** Most positions are known soon after a join. Of a partition whose position is not, nothing is fetched until it is. */
  const isPositioned = async (topicPartition: TopicPartition, its: Assignment): Promise<boolean> => {
    const key = keyOf(topicPartition);
    if (its.pending.has(key)) await Promise.race([its.positioned.get(key), its.grace]);
    if (its === current && its.pending.has(key)) halt(topicPartition);
    return its === current && !its.pending.has(key);
  };

  const take = async ({ batch, resolveOffset, isRunning, isStale }: EachBatchPayload): Promise<void> => {
    const topicPartition = { topic: batch.topic, partition: batch.partition };
    const key = keyOf(topicPartition);
    const its = current;
    if (its.rebalancing.signal.aborted || !its.partitions.has(key)) return;
    if (!(await isPositioned(topicPartition, its))) return;
    const wanted = expected.get(key);
    if (ended || !isRunning() || isStale() || wanted === undefined) return;
    if (stopped.has(key) || paused.has(key) || its.slow.has(key)) return;
    const records = batch.messages.map((message) => logRecord(topicPartition.topic, topicPartition.partition, message));
    const first = records[0];
    const last = records.at(-1);
    if (first === undefined || last === undefined) return;
    if (first.offset !== wanted) {
      const realigning = realign(topicPartition, its, wanted, first.offset);
      return await unlessSlow(topicPartition, its, realigning, () => undefined);
    }
    if (last.offset - first.offset !== records.length - 1) {
      throw new StopPartition(`records are missing between ${first.offset} and ${last.offset}`);
    }
    const working = options.on_batch({ ...topicPartition, records, high_watermark: Number(batch.highWatermark) });
    await unlessSlow(topicPartition, its, working, (in_time) => {
      // Moved by `seek` in the meantime.
      if (expected.get(key) !== wanted) return;
      misaligned.delete(key);
      expected.set(key, last.offset + 1);
      commitSoon();
      if (in_time) resolveOffset(String(last.offset));
    });
  };

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { topic, partition } = payload.batch;
    // kafkajs beats between batches only. A beat that fails is repeated by kafkajs after the batch, and dealt with.
    const beat = (): void => {
      const its = current;
      payload.heartbeat().catch((error: unknown) => {
        if (mustJoinAgain(error)) its.rebalancing.abort();
      });
    };
    beat();
    const beats = setInterval(beat, BEAT_LOOK_MS);
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

  const isOwned = (topic: string, partition: number): boolean => current.partitions.has(keyOf({ topic, partition }));

  const subscription: Subscription = {
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
      // Waits end: the process may live on.
      for (const key of stopped) readiness.set(`${options.group} ${key}`, null);
      takeAssignment(newAssignment('', []));
      await Promise.all(revoking);
    },
    lag: async () => {
      const topics = new Set(Array.from(current.partitions.values(), ({ topic }) => topic));
      let lag = 0;
      for (const topic of topics) {
        for (const { partition, end } of await bounds(topic)) {
          lag += Math.max(0, end - (expected.get(keyOf({ topic, partition })) ?? end));
        }
      }
      return lag;
    },
    pause: (topic, partition) => {
      if (!isOwned(topic, partition)) return;
      paused.add(keyOf({ topic, partition }));
      halt({ topic, partition });
    },
    resume: (topic, partition) => {
      paused.delete(keyOf({ topic, partition }));
      haltOrResume({ topic, partition });
    },
    seek: (topic, partition, offset) => {
      if (isOwned(topic, partition)) seek({ topic, partition }, offset);
    },
    stopPartition: (topic, partition, reason) => {
      if (isOwned(topic, partition)) stopPartition({ topic, partition }, reason);
    },
    handOver: (topic, partition) => {
      const key = keyOf({ topic, partition });
      if (!isOwned(topic, partition) || unreadable.has(key)) return;
      unreadable.add(key);
      logger.warn({ topic, partition }, 'a partition is handed over to a process of newer code, if there is one');
      // Those that stop together are told together.
      joinTimer ??= setTimeout(() => {
        joinTimer = undefined;
        joinAgain = true;
      }, HAND_OVER_MS).unref();
    },
    restartPartition: (topic, partition, offset) => {
      if (!isOwned(topic, partition) || !unstop({ topic, partition })) return;
      logger.info({ topic, partition, offset }, 'a stopped partition goes on');
      seek({ topic, partition }, offset);
      haltOrResume({ topic, partition });
    },
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
  options.on_subscription?.(subscription);
  await run();
  const abandon = (): void => joined.reject(new Error('the event log was closed'));
  closing.addEventListener('abort', abandon, { once: true });
  await joined.promise.finally(() => closing.removeEventListener('abort', abandon));
  readiness.set(problem, null);
  return subscription;
};
