import { writeCatalogue } from './catalogue.ts';
import { type Order, startClients } from './clients.ts';
import type { Cluster } from './components/cluster.ts';
import { type Commands, commandApi } from './components/command-api.ts';
import { dispatcher } from './components/dispatcher.ts';
import { PREPARATION_SLOTS, preparer } from './components/preparer.ts';
import { projectors } from './components/projectors.ts';
import { webhookRelay } from './components/webhook-relay.ts';
import { worker } from './components/worker.ts';
import { createEndpoints } from './endpoints.ts';
import { planFaults, startFaults } from './faults.ts';
import { createJudge, type Judge } from './judge.ts';
import { createBrokers } from './log/brokers.ts';
import { createGroups } from './log/groups.ts';
import { type Machine, useMachines } from './machine/machines.ts';
import type { Mutant } from './mutants.ts';
import { createVersions } from './store/versions.ts';
import { randomOf } from './world/random.ts';
import { type Supervised, supervise } from './world/supervisor.ts';
import { createWorld, type World } from './world/world.ts';

export type Outcome = {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly hash: string;
  readonly steps: number;
  /** Of virtual time. */
  readonly lasted_ms: number;
  readonly renders: number;
  readonly faults: string;
};

/** Everything must be over that long after the last fault: workers that lose every render pause for 15 minutes at last. */
const DRAIN_MS = 3_600_000;
const ANSWERED_WITHIN_MS = 4_500_000;
const LOOK_MS = 1_000;
const MOST_CRASHES = 40;
/** In a world without faults nobody waits for longer while there is room. */
const MOST_WAIT_MS = 5_000;

/** A client that changes its mind: at once, in the middle, or about when the render is complete. */
const LIVES_MS = [200, 2_000, 6_000];

let present: World | null = null;

/** The simulation that runs now. */
export const presentWorld = (): World | null => present;

/** @param show gets the trace, line by line */
export const simulate = async (
  seed: number,
  mutants: ReadonlySet<Mutant>,
  show: ((line: string) => void) | null = null,
): Promise<Outcome> => {
  const world = createWorld(seed, show);
  present = world;
  const random = randomOf(seed).fork('plan');
  const is_loud = random.chance(0.04);
  const partitions = random.between(1, 4);
  const environment_timeout_ms = random.chance(0.06) ? 120_000 : 900_000;

  let judge: Judge | null = null;
  const brokers = createBrokers(world, partitions, (records) => judge?.appended(records));
  const groups = createGroups(world, brokers);
  const versions = createVersions();
  const machines = Array.from(
    { length: random.between(2, 3) },
    (_, i): Machine => ({
      name: `worker-${i + 1}`,
      ...{ disk_full: false, engine_old: false, crashes: false, hangs: false },
    }),
  );
  const preparers = Array.from(
    { length: random.between(1, 2) },
    (_, i): Machine => ({
      name: `preparer-${i + 1}`,
      ...{ disk_full: false, engine_old: false, crashes: false, hangs: false },
    }),
  );
  useMachines([...machines, ...preparers]);
  const cluster: Cluster = {
    ...{ world, brokers, groups, members: new Map(), machines, mutants, environment_timeout_ms },
    store: { versions, away: false, lost_answers: 0, epoch: 0, restored_at: Number.NEGATIVE_INFINITY },
    blobs: { blobs: new Map(), away: false, lost_answers: 0 },
  };
  const customers = writeCatalogue(brokers, cluster.blobs, random.between(2, 3), random.between(1, 2));
  const judging = createJudge({
    ...{ world, customers, partitions, environment_timeout_ms },
    isPayloadLost: ({ prepared }) => prepared !== null && !cluster.blobs.blobs.has(prepared.composition.path),
  });
  judge = judging;

  const deliver = createEndpoints(world, is_loud ? 0 : random.pick([0, 0.05, 0.2]), judging.delivered);
  const skew = (): number => (is_loud ? 0 : random.between(-1_000, 1_000));
  const listening = new Map<string, { readonly of: string; readonly commands: Commands }>();
  /** Preparations under way, by account. */
  const preparing = new Map<string, Set<string>>();
  const begun = new Set<string>();
  const runs = (render_id: string, account_id: string) => {
    begun.add(render_id);
    const its = preparing.get(account_id) ?? new Set<string>();
    preparing.set(account_id, its.add(render_id));
    return () => void its.delete(render_id);
  };

  const processes: Supervised[] = [];
  const several = (most: number): readonly number[] => Array.from({ length: random.between(1, most) }, (_, i) => i + 1);
  for (const i of several(2)) processes.push(supervise(world, `projectors-${i}`, projectors(cluster), skew()));
  const apis = several(2).map((i) => {
    const name = `command-api-${i}`;
    const its = supervise(
      world,
      name,
      (life) => commandApi(cluster, (commands) => listening.set(name, { of: life.name, commands }))(life),
      skew(),
    );
    processes.push(its);
    return {
      commands: () => {
        const now = listening.get(name);
        return now !== undefined && now.of === its.life()?.name ? now.commands : null;
      },
    };
  });
  for (const i of several(2)) processes.push(supervise(world, `dispatcher-${i}`, dispatcher(cluster), skew()));
  for (const { name } of preparers) processes.push(supervise(world, name, preparer(cluster, name, runs), skew()));
  for (const machine of machines) processes.push(supervise(world, machine.name, worker(cluster, machine), skew()));
  for (const i of several(2))
    processes.push(supervise(world, `webhook-relay-${i}`, webhookRelay(cluster, deliver), skew()));

  const orders: Order[] = [];
  const wishes = randomOf(seed).fork('wishes');
  const erasures = randomOf(seed).fork('erasures');
  const [loud, quiet] = customers;
  if (is_loud && loud !== undefined && quiet !== undefined) {
    for (let i = 0; i < 30; i += 1) {
      const at_ms = 5_000 + random.between(0, 500);
      orders.push({
        customer: loud,
        kind: 'slow',
        at_ms,
        is_keyed: false,
        cancelled_after_ms: null,
        erased_after_ms: null,
      });
    }
    const at_ms = random.between(8_000, 25_000);
    orders.push({
      customer: quiet,
      kind: 'fine',
      at_ms,
      is_keyed: true,
      cancelled_after_ms: null,
      erased_after_ms: null,
    });
  } else {
    for (let i = random.between(3, 10); i > 0; i -= 1) {
      const kind = random.chance(0.8) ? 'fine' : random.pick(['faulty', 'deadly', 'slow'] as const);
      orders.push({
        customer: random.pick(customers),
        kind,
        at_ms: random.between(500, 45_000),
        is_keyed: random.chance(0.6),
        cancelled_after_ms: wishes.chance(0.3) ? wishes.between(0, wishes.pick(LIVES_MS)) : null,
        erased_after_ms: erasures.chance(0.3) ? erasures.between(0, erasures.pick(LIVES_MS)) : null,
      });
    }
  }
  const clients = startClients(world, orders, apis, {
    acknowledged: judging.acknowledged,
    cancelling: judging.cancelling,
    cancelled: judging.cancelled,
    erasing: judging.erasing,
    // For up to a second an API answers from what a restored store says (ADR 53), and may take as long to do so.
    mayBeOld: (asked_at) => asked_at - cluster.store.restored_at < 2_000,
  });
  const plan = is_loud ? null : planFaults(random, machines.length, environment_timeout_ms);
  const faults =
    plan === null ? { areOver: () => true } : startFaults(cluster, plan, randomOf(seed).fork('faults'), processes);

  /** Since when renders wait although there is room, in a world in which nothing is out of order. */
  const room_since = new Map<string, number>();
  const lookAtWaits = (): void => {
    const now = world.scheduler.now();
    const slots = [...preparing.values()].reduce((sum, { size }) => sum + size, 0);
    for (const { render } of judging.renders().values()) {
      const own = preparing.get(render.account_id)?.size ?? 0;
      const has_room = slots < PREPARATION_SLOTS.at_once && own < PREPARATION_SLOTS.at_once_per_account;
      const waits = render.status === 'initializing' && !begun.has(render.id) && has_room;
      if (waits) room_since.set(render.id, room_since.get(render.id) ?? now);
      else room_since.delete(render.id);
      if (now - (room_since.get(render.id) ?? now) > MOST_WAIT_MS)
        world.violate(`${render.id} waits for its preparation for ${MOST_WAIT_MS} ms while slots are free`);
    }
  };

  let over_at: number | null = null;
  let is_done = false;
  let drained_at: number | null = null;
  const look = (): void => {
    const now = world.scheduler.now();
    if (is_loud) lookAtWaits();
    const crashed = processes.find((one) => one.crashes() > MOST_CRASHES);
    if (crashed !== undefined) world.violate(`${crashed.name} crashes again and again`);
    if (faults.areOver() && clients.waiting() === 0) {
      over_at ??= now;
      const missing = judging.open();
      const open = missing.length > 0 ? missing : judging.lackingIn(versions);
      if (open.length === 0) {
        // What is late still comes, and must not be wrong either.
        drained_at ??= now;
        if (now - drained_at >= 10_000) is_done = true;
      } else {
        drained_at = null;
        if (now - over_at > DRAIN_MS) {
          for (const one of open.slice(0, 5))
            world.violate(`${Math.round((now - over_at) / 1_000)} s after the last fault ${one}`);
        }
      }
    } else if (now > ANSWERED_WITHIN_MS) {
      world.violate(`${clients.waiting()} orders are not answered`);
    }
    world.scheduler.after(LOOK_MS, look);
  };
  world.scheduler.after(LOOK_MS, look);

  try {
    await world.scheduler.runUntil(() => is_done || world.violations().length > 0);
  } catch (error) {
    world.violate(`the simulation itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  present = null;
  return {
    ...{ seed, violations: world.violations(), hash: world.hash(), steps: world.scheduler.steps() },
    ...{ lasted_ms: world.scheduler.now(), renders: judging.renders().size },
    faults: is_loud ? 'loud' : (plan?.kinds.join(',') ?? ''),
  };
};
