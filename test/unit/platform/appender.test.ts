import test from 'ava';
import fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import { type Appender, createAppender } from '../../../platform/appender/appender.ts';
import type { NumberedBatch, Producer, SendOutcome } from '../../../platform/appender/producer.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { runs } from '../../helpers/runs.ts';
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts';

// The appender with brokers that lose requests and answers, answer late and lose leadership.
const TOPIC = 'events';
const ROUND_TRIP_MS = 5;
const logger = createLogger('test', 'silent');

/** The fate of one partition's part of one request. */
type Fate =
  | 'written'
  | 'answer_lost'
  | 'request_lost'
  | 'answered_late'
  | 'written_late'
  | 'replicated_late'
  | 'too_few_replicas'
  | 'too_few_after_it'
  | 'not_leader'
  | 'leaderless'
  | 'refused'
  | 'forgotten';

type Partition = {
  readonly log: string[];
  readonly producers: Map<string, { next: number; readonly batches: Map<number, number> }>;
  readonly fates: Fate[];
  /** Set when a day has passed: requests that were in flight are then lost. */
  forgets: boolean;
};

const fault = (tag: 'not_written' | 'unknown' | 'disowned', is_unanswered = false): SendOutcome => ({
  ...{ tag, message: tag, is_unanswered },
});

/** Appends a batch as a broker does: a repeated batch keeps its offset, and a gap is refused. */
const take = (partition: Partition, { identity, first_sequence, records }: NumberedBatch): SendOutcome => {
  const known = partition.producers.get(identity.producer_id);
  const at = known?.batches.get(first_sequence);
  if (at !== undefined) return { tag: 'appended', offset: at, append_time_ms: 1 };
  if (known !== undefined && known.next !== first_sequence) return fault('disowned');
  const of_producer = known ?? { next: first_sequence, batches: new Map<number, number>() };
  partition.producers.set(identity.producer_id, of_producer);
  const offset = partition.log.length;
  of_producer.batches.set(first_sequence, offset);
  of_producer.next = first_sequence + records.length;
  partition.log.push(...records.map(({ value }) => value.toString()));
  return { tag: 'appended', offset, append_time_ms: 1 };
};

const brokers = (clock: VirtualClock, fates: readonly (readonly Fate[])[]) => {
  const partitions = fates.map(
    (its): Partition => ({ log: [], producers: new Map(), fates: [...its], forgets: false }),
  );
  let identities = 0;

  const meet = async (batch: NumberedBatch): Promise<SendOutcome> => {
    const partition = partitions[batch.partition];
    if (partition === undefined) throw new RangeError(`partition ${batch.partition}`);
    const fate = partition.fates.shift() ?? 'written';
    switch (fate) {
      case 'leaderless':
      case 'too_few_replicas':
        return fault('not_written');
      case 'refused':
        return { tag: 'refused', message: 'refused', too_large: false };
      case 'not_leader':
        return fault('unknown');
      case 'too_few_after_it':
        take(partition, batch);
        return fault('unknown');
      case 'request_lost':
        await clock.sleep(6_000);
        return fault('unknown', true);
      case 'answer_lost':
        take(partition, batch);
        await clock.sleep(6_000);
        return fault('unknown', true);
      case 'answered_late': {
        const outcome = take(partition, batch);
        await clock.sleep(3_000);
        return outcome;
      }
      case 'written_late':
        void clock.sleep(20_000).then(() => {
          if (!partition.forgets) take(partition, batch);
        });
        await clock.sleep(6_000);
        return fault('unknown', true);
      case 'replicated_late':
        take(partition, batch);
        await clock.sleep(3_000);
        return fault('unknown');
      case 'forgotten': {
        // After a day the broker no longer recognises a repeat.
        const { identity, first_sequence } = batch;
        if (partition.producers.get(identity.producer_id)?.batches.has(first_sequence) === true)
          return take(partition, batch);
        partition.producers.clear();
        partition.forgets = true;
        return first_sequence === 0 ? take(partition, batch) : fault('disowned');
      }
      case 'written':
        return take(partition, batch);
    }
  };

  const producer = (): Producer => {
    let answered: Promise<unknown> = Promise.resolve();
    return {
      refreshMetadata: async () => false,
      leaderOf: (_topic, partition) => {
        const fates = partitions[partition]?.fates ?? [];
        if (fates[0] !== 'leaderless') return partition % 2;
        fates.shift();
        return null;
      },
      newIdentity: async () => {
        identities += 1;
        await clock.sleep(ROUND_TRIP_MS);
        return { producer_id: `${identities}`, producer_epoch: 0 };
      },
      send: async (_leader, batches) => {
        const send = async () => {
          await clock.sleep(ROUND_TRIP_MS);
          return await Promise.all(batches.map(meet));
        };
        const outcomes = answered.then(send);
        answered = outcomes;
        return await outcomes;
      },
      close: async () => undefined,
    };
  };
  return { partitions, producer };
};

const appenderOver = (clock: VirtualClock, fates: readonly (readonly Fate[])[]) => {
  const { partitions, producer } = brokers(clock, fates);
  const deps = { producer: producer(), impeded: producer(), partitionsOf: async () => fates.length, logger, clock };
  return { partitions, appender: createAppender(deps) };
};

const append = async (appender: Appender, clock: VirtualClock, partition: number, text: string) => {
  const began = clock.monotonic();
  const result = await appender.append({ topic: TOPIC, partition, key: 'key', value: Buffer.from(text) });
  return { partition, text, took_ms: clock.monotonic() - began, result };
};

const FATES: readonly Fate[] = [
  ...(['written', 'answer_lost', 'request_lost', 'answered_late', 'written_late', 'replicated_late'] as const),
  ...(['too_few_replicas', 'too_few_after_it', 'not_leader', 'leaderless', 'forgotten', 'refused'] as const),
];
const FATE = fc.constantFrom(...FATES);

/** Advances the clock until all work has ended, and then until nothing is in flight. */
const ended = async <A>(clock: VirtualClock, work: Promise<A>): Promise<A> => {
  let is_over = false;
  const watched = work.finally(() => {
    is_over = true;
  });
  for (let waited_ms = 0; !is_over && waited_ms < 120_000; waited_ms += 500) await clock.advance(500);
  if (!is_over) throw new Error('an append was never answered');
  await clock.advance(30_000);
  return await watched;
};

const PARTITIONS = 3;
const CASE = fc.record({
  fates: fc.tuple(...Array.from({ length: PARTITIONS }, () => fc.array(FATE, { maxLength: 6 }))),
  appends: fc.array(fc.record({ partition: fc.nat({ max: PARTITIONS - 1 }), after_ms: fc.nat({ max: 20_000 }) }), {
    minLength: 1,
    maxLength: 15,
  }),
});

test('acknowledged records are in the log once, in order; failed ones are absent', async (t) => {
  await fc.assert(
    fc.asyncProperty(CASE, async ({ fates, appends }) => {
      const clock = virtualClock();
      const { partitions, appender } = appenderOver(clock, fates);
      const answers = await ended(
        clock,
        Promise.all(
          appends.map(async ({ partition, after_ms }, n) => {
            await clock.sleep(after_ms);
            return await append(appender, clock, partition, `${after_ms}.${n}`);
          }),
        ),
      );
      for (const { partition, text, took_ms, result } of answers) {
        const found = partitions[partition]?.log.flatMap((one, offset) => (one === text ? [offset] : [])) ?? [];
        if (isRight(result)) t.deepEqual(found, [result.right.offset], text);
        else if (result.left.tag === 'not_appended') t.deepEqual(found, [], text);
        else t.true(found.length <= 1, text);
        t.true(took_ms <= 25_000, `${text} took ${took_ms} ms`);
      }
      const called = appends.map(({ partition, after_ms }, n) => ({ partition, after_ms, text: `${after_ms}.${n}` }));
      const order = called.toSorted((a, b) => a.after_ms - b.after_ms).map(({ text }) => text);
      for (const [partition, { log }] of partitions.entries()) {
        const appended = new Set(
          answers.flatMap((one) => (one.partition === partition && isRight(one.result) ? [one.text] : [])),
        );
        t.deepEqual(
          log.filter((text) => appended.has(text)),
          order.filter((text) => appended.has(text)),
        );
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test('a partition that accepts no records fails without delaying others', async (t) => {
  for (const sick of ['too_few_replicas', 'leaderless', 'not_leader', 'replicated_late'] as const) {
    const clock = virtualClock();
    // The same broker leads both partitions.
    const { appender } = appenderOver(clock, [Array.from({ length: 100 }, () => sick), [], []]);
    const first = append(appender, clock, 0, 'sick');
    const others: Awaited<ReturnType<typeof append>>[] = [];
    await clock.advance(7_000);
    const again = append(appender, clock, 0, 'sick again');
    for (let n = 0; n < 20; n += 1) {
      const other = append(appender, clock, 2, `well ${n}`);
      await clock.advance(100);
      others.push(await other);
    }
    for (const { took_ms, result } of others) {
      t.true(isRight(result), sick);
      t.true(took_ms <= 3 * ROUND_TRIP_MS, `${sick}: ${took_ms} ms`);
    }
    const [one] = await ended(clock, Promise.all([first, again]));
    if (sick === 'too_few_replicas' || sick === 'leaderless')
      t.like(one.result, { left: { tag: 'not_appended' } }, sick);
    t.is(appender.impeded(), 1, sick);
  }
});

test('a stuck partition leaves room for others', async (t) => {
  const clock = virtualClock();
  const { appender } = appenderOver(clock, [Array.from({ length: 1_000 }, () => 'leaderless' as const), []]);
  await ended(clock, append(appender, clock, 1, 'the first'));
  const stuck = Array.from({ length: 12_000 }, (_, n) => append(appender, clock, 0, `${n}`));
  const well = append(appender, clock, 1, 'well');
  const answers = await ended(clock, Promise.all([well, ...stuck]));
  t.true(isRight(answers[0].result));
});
