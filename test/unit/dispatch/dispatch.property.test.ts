import test from 'ava';
import fc from 'fast-check';
import { attemptsExhausted, MAX_RENDER_ATTEMPTS } from '../../../domain/dispatch/attempt-limits.ts';
import { isPayloadLost } from '../../../domain/dispatch/environment-wait.ts';
import { isCancelled } from '../../../domain/render/cancellation.ts';
import { isFinal } from '../../../domain/render/render.ts';
import { DispatchWorld } from '../../helpers/dispatch-world.ts';
import { runs } from '../../helpers/runs.ts';

type Step = (world: DispatchWorld) => void;

const index = fc.nat(1);
const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const step: fc.Arbitrary<Step> = fc.oneof(
  often(
    2,
    index.map((i) => (world) => world.takeOver(i)),
  ),
  often(
    1,
    index.map((i) => (world) => world.revoke(i)),
  ),
  often(
    6,
    fc.tuple(index, fc.integer({ min: 1, max: 5 })).map(
      ([i, count]) =>
        (world) =>
          world.readStatus(i, count),
    ),
  ),
  often(
    6,
    index.map((i) => (world) => world.readBeats(i)),
  ),
  often(
    3,
    index.map((i) => (world) => world.ownBeat(i)),
  ),
  often(
    4,
    index.map((i) => (world) => world.workerBeat(i)),
  ),
  often(
    4,
    index.map((i) => (world) => world.readCommands(i)),
  ),
  often(
    2,
    index.map((i) => (world) => world.work(i)),
  ),
  often(
    1,
    index.map((i) => (world) => world.crash(i)),
  ),
  often(
    1,
    fc.nat(20).map((i) => (world) => world.cancel(i)),
  ),
  often(
    1,
    fc
      .tuple(
        index,
        fc.constantFrom('surroundings', 'drained', 'environment', 'environment_version', 'environment_payload'),
      )
      .map(
        ([i, reason]) =>
          (world) =>
            world.handBack(i, reason),
      ),
  ),
  often(
    4,
    fc.constantFrom(10, 700, 2_000, 9_000, 31_000).map((ms) => (world) => {
      world.now += ms;
    }),
  ),
  often(
    3,
    index.map((i) => (world) => world.calmStep(i)),
  ),
  often(
    2,
    fc.nat(500).map((i) => (world) => world.repeatEvent(i)),
  ),
  often(
    2,
    fc.constant<Step>((world) => world.newRender()),
  ),
);

const RENDERS = ['rend_1', 'rend_2', 'rend_3', 'rend_4', 'rend_5'];
const ENOUGH_CALM_STEPS = 400;
/** Steps until workers have stopped attempts of ended renders: a heartbeat, a look-up, and a command. */
const CALM_STEPS_TO_STOP = 4;
/** Further steps with growing pauses, for renders that wait for their environment. */
const PATIENT_STEPS = 200;

const unfinished = (world: DispatchWorld) => [...world.folded.values()].filter(({ status }) => !isFinal(status));

test('every render ends after any history with zombie dispatchers and repeated records', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 250, size: 'max' }), (steps) => {
      const world = new DispatchWorld(RENDERS, 2, 2);
      world.takeOver(0);
      for (const apply of steps) apply(world);
      world.upgradeWorkers();

      world.takeOver(0);
      for (let i = 0; i < ENOUGH_CALM_STEPS + PATIENT_STEPS && unfinished(world).length > 0; i += 1) {
        if (i > ENOUGH_CALM_STEPS) world.now += 30_000;
        world.calmStep(0);
      }
      t.deepEqual(unfinished(world), []);
      for (let i = 0; i < CALM_STEPS_TO_STOP; i += 1) world.calmStep(0);
      t.deepEqual(world.inVain(), []);
      t.deepEqual(world.violations, []);
      for (const render of world.folded.values()) {
        if (isCancelled(render)) t.is(render.charged_credits, 0);
        else if (render.failure?.code === 'environment') t.true(isPayloadLost(render.attempts, false));
        else if (render.status === 'failed') t.true(attemptsExhausted(render.attempts, false));
        t.true(render.attempts.length <= MAX_RENDER_ATTEMPTS);
      }
    }),
    { numRuns: runs(500) },
  );
});

test('without faults every render is rendered by its first attempt', (t) => {
  const world = new DispatchWorld(RENDERS, 2, 1);
  world.takeOver(0);
  for (let i = 0; i < 40; i += 1) world.calmStep(0);
  for (const render of world.folded.values()) {
    t.is(render.status, 'complete');
    t.is(render.attempts.length, 1);
  }
});

test('two active dispatchers cause refused assignments and no other waste', (t) => {
  const world = new DispatchWorld(RENDERS, 2, 2);
  world.takeOver(0);
  world.takeOver(1);
  for (let i = 0; i < 100 && unfinished(world).length > 0; i += 1) {
    world.calmStep(0);
    world.calmStep(1);
  }
  t.deepEqual(unfinished(world), []);
  t.deepEqual(world.violations, []);
});
