import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import type { EndpointQueueDependencies } from '../../../webhook-relay/queues/parts.ts';
import {
  type Answer,
  type Dialled,
  endpointNamed,
  plannedDelivery,
  queuesWorld,
  START,
  type TestStore,
  testClock,
  testStore,
  type WorldOptions,
} from './_queues-world.ts';

const HOUR_MS = 3_600_000;
const RUNS = 60;

const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ status: fc.constantFrom(200, 204), after_ms: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ status: fc.constantFrom(500, 301), after_ms: fc.integer({ min: 1, max: 4_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ fails: fc.constant('timeout' as const), after_ms: fc.constant(15_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      fails: fc.constant('connection_refused' as const),
      after_ms: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

/** Transitions of some renders, each for some endpoints, planned one after the other. */
const plan = fc.array(
  fc.record({
    gap_ms: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
    render: fc.integer({ min: 0, max: 4 }),
    endpoints: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
    kinds: fc.integer({ min: 1, max: 2 }),
  }),
  { minLength: 1, maxLength: 30 },
);
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never;

const KINDS = ['render.status_changed', 'render.complete'] as const;
const PARTITIONS = 2;

const deliveriesIn = (planned: Plan): readonly WebhookDeliveryDocument[] => {
  const seqs = new Map<number, number>();
  let planned_at = START + 1_000;
  return planned.flatMap(({ gap_ms, render, endpoints, kinds }, index) => {
    planned_at += gap_ms;
    const seq = (seqs.get(render) ?? 0) + 1;
    seqs.set(render, seq);
    return endpoints.flatMap((endpoint) =>
      KINDS.slice(0, kinds).map((event, place) =>
        plannedDelivery({
          id: `hook_${index}_${endpoint}_${place}`,
          endpoint_id: `whe_${endpoint}`,
          partition: render % PARTITIONS,
          render_id: `rend_${render}`,
          seq,
          event,
          planned_at,
          order: index * 4 + place,
        }),
      ),
    );
  });
};

const mostAtOnce = (dialled: readonly Dialled[]): number => {
  const steps = dialled.flatMap(({ began, ended }) => [
    { at: began, by: 1 },
    { at: ended ?? Number.POSITIVE_INFINITY, by: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { by } of steps.sort((a, b) => a.at - b.at || a.by - b.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
};

/** First attempts at an endpoint that did not wait for an earlier transition of their render. */
const outOfOrder = (dialled: readonly Dialled[], documents: ReadonlyMap<string, WebhookDeliveryDocument>) => {
  const firsts = new Map<string, Dialled>();
  for (const dial of dialled) if (dial.n === 1 && !firsts.has(dial.id)) firsts.set(dial.id, dial);
  const of = ({ id }: Dialled) => documents.get(id);
  return [...firsts.values()].flatMap((later) =>
    [...firsts.values()].flatMap((sooner) => {
      const [a, b] = [of(sooner), of(later)];
      if (a === undefined || b === undefined) return [];
      if (a.endpoint_id !== b.endpoint_id || a.render_id !== b.render_id || a.seq >= b.seq) return [];
      return later.began >= (sooner.ended ?? Number.POSITIVE_INFINITY) ? [] : [`${later.id} before ${sooner.id}`];
    }),
  );
};

/** Recorded attempts that began too early: before `first_ms` x 5^(n-1) after the end of the previous attempt. */
const early = (delivery: WebhookDeliveryDocument): readonly string[] =>
  delivery.attempts.flatMap(({ n, started_at }, index) => {
    const before = delivery.attempts[index - 1];
    if (n !== index + 1) return [`${delivery._id} has attempt ${n} at ${index}`];
    if (before === undefined) return [];
    const due_at = before.started_at + before.duration_ms + 1_000 * 5 ** (index - 1);
    return started_at >= due_at ? [] : [`${delivery._id}, attempt ${n}, ${due_at - started_at} ms early`];
  });

const overlapping = (dialled: readonly Dialled[]): readonly string[] =>
  [...Map.groupBy(dialled, ({ id }) => id)].flatMap(([id, dials]) =>
    dials.some((dial, i) => i > 0 && dial.began < (dials[i - 1]?.ended ?? Number.POSITIVE_INFINITY)) ? [id] : [],
  );

const answersBy = (answers: readonly Answer[]) => (delivery: WebhookDeliveryDocument, n: number) => {
  const index = delivery._id.length + n * 7 + delivery.seq * 3 + Number(delivery.endpoint_id.slice(4));
  return answers[index % answers.length] ?? { status: 200, after_ms: 1 };
};

test('every delivery ends in order, on time and within the limits', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.array(answer, { minLength: 1, maxLength: 8 }),
      fc.record({
        max_in_memory: fc.integer({ min: 1, max: 20 }),
        max_in_memory_per_queue: fc.integer({ min: 1, max: 6 }),
      }),
      fc.record({
        attempts_at_once: fc.integer({ min: 2, max: 8 }),
        attempts_per_endpoint: fc.integer({ min: 1, max: 4 }),
      }),
      async (planned, answers, limits, settings) => {
        const world = queuesWorld({ answer: answersBy(answers), limits, settings });
        const deliveries = deliveriesIn(planned);
        for (const partition of [0, 1]) world.queues.take(partition).catch(t.fail);
        for (const [at, its] of Map.groupBy(deliveries, ({ planned_at }) => planned_at))
          world.clock.after(at - START, () => world.plan(its));
        const isDone = () => world.store.documents.size === deliveries.length && world.isDone();
        const is_done = await world.clock.until(isDone, 24 * HOUR_MS);
        await world.clock.until(() => false, 100);
        const { dialled, store, crashes, queues, warnings } = world;
        const documents = [...store.documents.values()];
        t.deepEqual(crashes, []);
        t.deepEqual(warnings, []);
        t.true(is_done);
        t.deepEqual(queues.figures(), { attempts_under_way: 0, unrecorded: 0, waiting: 0, in_memory: 0 });
        t.is(dialled.length, documents.flatMap(({ attempts }) => attempts).length);
        t.deepEqual(documents.flatMap(early), []);
        t.deepEqual(outOfOrder(dialled, store.documents), []);
        t.deepEqual(overlapping(dialled), []);
        t.true(mostAtOnce(dialled) <= settings.attempts_at_once);
        for (const its of Map.groupBy(dialled, ({ endpoint_id }) => endpoint_id).values())
          t.true(mostAtOnce(its) <= settings.attempts_per_endpoint);
      },
    ),
    { numRuns: RUNS },
  );
});

/** A fault or rebalance `at_ms` after the start. */
const mishap = fc.record({
  at_ms: fc.integer({ min: 0, max: 200_000 }),
  what: fc.oneof(
    fc.record({ tag: fc.constant('move' as const), partition: fc.integer({ min: 0, max: 1 }), to: fc.nat({ max: 2 }) }),
    fc.record({
      tag: fc.constant('away' as const),
      part: fc.constantFrom('reads' as const, 'writes' as const, 'answers' as const, 'directory' as const),
      for_ms: fc.integer({ min: 1, max: 20_000 }),
    }),
  ),
});

type Mishap = typeof mishap extends fc.Arbitrary<infer M> ? M : never;
type Relay = ReturnType<typeof queuesWorld>;
/** Until when each part is away, ms. */
type Away = { reads: number; writes: number; answers: number; directory: number };

/** Parts of a relay that fail while they are away; `answers` fails after the write. */
const unreliableParts = (store: TestStore, away: Away, now: () => number): Partial<EndpointQueueDependencies> => {
  const unless = (part: keyof Away): void => {
    if (away[part] > now()) throw new Error(`${part} are away`);
  };
  return {
    store: {
      waiting: async function* (partition) {
        for await (const one of store.waiting(partition)) {
          unless('reads');
          yield one;
        }
      },
      due: async (...asked) => {
        unless('reads');
        return await store.due(...asked);
      },
      delivery: async (id) => {
        unless('reads');
        return await store.delivery(id);
      },
    },
    recorder: {
      record: async (_delivery, outcome) => {
        unless('writes');
        const counts = await store.record(outcome);
        unless('answers');
        return counts;
      },
    },
    directory: {
      endpoint: async (id) => {
        unless('directory');
        return endpointNamed(id);
      },
    },
  };
};

/** Each partition begins at the relay of its number. */
const ownPartitions = (relays: readonly Relay[], fail: (message?: string) => void) => {
  /** By partition, the index of its relay; 2 means no relay. */
  const owners = [0, 1];
  const ownerOf = (partition: number): Relay | undefined => relays[owners[partition] ?? 2];
  for (const partition of [0, 1]) relays[partition]?.queues.take(partition).catch(fail);
  const move = (partition: number, to: number): void => {
    ownerOf(partition)?.queues.release(partition);
    owners[partition] = to;
    relays[to]?.queues.take(partition).catch(fail);
  };
  const moveAllToFirst = (): void => {
    for (const partition of [0, 1]) if (owners[partition] !== 0) move(partition, 0);
  };
  return { ownerOf, move, moveAllToFirst };
};

type Scenario = {
  readonly planned: Plan;
  readonly answers: readonly Answer[];
  readonly mishaps: readonly Mishap[];
  readonly limits: NonNullable<WorldOptions['limits']>;
};

/** Two relays with one store deliver a plan while mishaps happen. All are over after 250 s. */
const runWithMishaps = async (t: ExecutionContext, { planned, answers, mishaps, limits }: Scenario) => {
  const clock = testClock();
  const store = testStore(clock, () => 7);
  const away: Away = { reads: 0, writes: 0, answers: 0, directory: 0 };
  const parts = unreliableParts(store, away, clock.now);
  const startRelay = () => queuesWorld({ clock, limits, answer: answersBy(answers), parts }, store);
  const relays = [startRelay(), startRelay()];
  const { ownerOf, move, moveAllToFirst } = ownPartitions(relays, t.fail);
  for (const { at_ms, what } of mishaps)
    clock.after(at_ms, () => {
      if (what.tag === 'away') away[what.part] = clock.now() + what.for_ms;
      else move(what.partition, what.to);
    });
  clock.after(250_000, moveAllToFirst);
  const deliveries = deliveriesIn(planned);
  for (const [at, some] of Map.groupBy(deliveries, ({ planned_at }) => planned_at))
    clock.after(at - START, () => {
      for (const delivery of some) {
        store.put(delivery);
        ownerOf(delivery.partition)?.queues.offer(delivery.partition, [delivery]);
      }
    });
  const isDone = () => store.documents.size === deliveries.length && store.counts.pending === 0;
  const is_done = await clock.until(isDone, 24 * HOUR_MS);
  await clock.until(() => false, 60_000);
  return { relays, store, is_done };
};

test('no delivery is lost when partitions move and the store fails', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.array(answer, { minLength: 1, maxLength: 8 }),
      fc.array(mishap, { maxLength: 12 }),
      fc.record({
        max_in_memory: fc.integer({ min: 1, max: 20 }),
        max_in_memory_per_queue: fc.integer({ min: 1, max: 6 }),
      }),
      async (planned, answers, mishaps, limits) => {
        const { relays, store, is_done } = await runWithMishaps(t, { planned, answers, mishaps, limits });
        for (const { crashes, dialled, queues, warnings } of relays) {
          t.deepEqual(crashes, []);
          // Found in time, not by the comparison that finds overdue deliveries.
          t.false(warnings.some((warning) => warning.includes('overdue')));
          t.deepEqual(overlapping(dialled), []);
          t.like(queues.figures(), { attempts_under_way: 0, unrecorded: 0, in_memory: 0 });
          t.deepEqual(outOfOrder(dialled, store.documents), []);
        }
        t.true(is_done);
        t.deepEqual([...store.documents.values()].flatMap(early), []);
      },
    ),
    { numRuns: RUNS },
  );
});
