import test from 'ava';
import fc from 'fast-check';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import {
  type Answer,
  type Dialled,
  endpointNamed,
  plannedDelivery,
  queuesWorld,
  START,
  testClock,
  testStore,
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

/** Transitions of a few renders in a few partitions, each for a few endpoints, planned one after the other. */
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

/** Pairs of first attempts of a render at an endpoint where the later transition did not wait for the former. */
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

/** Attempts that were recorded and began before their time: `first_ms` x 5^(n-1) after the end of the one before. */
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
        const clock = testClock();
        const store = testStore(clock, () => 7);
        const away = { reads: 0, writes: 0, answers: 0, directory: 0 };
        const unless = (part: keyof typeof away): void => {
          if (away[part] > clock.now()) throw new Error(`${part} are away`);
        };
        const relay = () =>
          queuesWorld(
            {
              clock,
              limits,
              answer: answersBy(answers),
              parts: {
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
              },
            },
            store,
          );
        const relays = [relay(), relay()];
        /** By partition, the index of its relay; 2 means no relay. */
        const owners = [0, 1];
        for (const partition of [0, 1]) relays[partition]?.queues.take(partition).catch(t.fail);
        for (const { at_ms, what } of mishaps)
          clock.after(at_ms, () => {
            if (what.tag === 'away') {
              away[what.part] = clock.now() + what.for_ms;
              return;
            }
            relays[owners[what.partition] ?? 2]?.queues.release(what.partition);
            owners[what.partition] = what.to;
            relays[what.to]?.queues.take(what.partition).catch(t.fail);
          });
        clock.after(250_000, () => {
          for (const partition of [0, 1]) {
            if (owners[partition] === 0) continue;
            relays[owners[partition] ?? 2]?.queues.release(partition);
            owners[partition] = 0;
            relays[0]?.queues.take(partition).catch(t.fail);
          }
        });
        const deliveries = deliveriesIn(planned);
        for (const [at, its] of Map.groupBy(deliveries, ({ planned_at }) => planned_at))
          clock.after(at - START, () => {
            for (const delivery of its) {
              store.put(delivery);
              relays[owners[delivery.partition] ?? 2]?.queues.offer(delivery.partition, [delivery]);
            }
          });
        const isDone = () => store.documents.size === deliveries.length && store.counts.pending === 0;
        const is_done = await clock.until(isDone, 24 * HOUR_MS);
        await clock.until(() => false, 60_000);
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
