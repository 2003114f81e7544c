import { FEW_CREDITS, writeCatalogue } from './catalogue.ts';
import { startClients } from './clients.ts';
import type { Cluster } from './components/cluster.ts';
import { type Commands, commandApi } from './components/command-api.ts';
import { dispatcher } from './components/dispatcher.ts';
import { preparer } from './components/preparer.ts';
import { projectors } from './components/projectors.ts';
import { retention } from './components/retention.ts';
import { webhookRelay } from './components/webhook-relay.ts';
import { worker } from './components/worker.ts';
import { createEndpoints } from './endpoints.ts';
import { planFaults, startFaults } from './faults.ts';
import { createJudge, type Judge } from './judge.ts';
import { judgeFiles } from './judge-files.ts';
import { filmFault } from './judge-films.ts';
import { createBrokers } from './log/brokers.ts';
import { createGroups } from './log/groups.ts';
import { beginLoneTrouble } from './lone-trouble.ts';
import { useEmptyDisks } from './machine/disk.ts';
import { type Machine, useMachines } from './machine/machines.ts';
import { type Managers, NO_MANAGERS, startManagers } from './managers.ts';
import type { Mutant } from './mutants.ts';
import { ordersOf } from './orders.ts';
import { NO_REBUILDS, type Rebuilds, startRebuilds } from './rebuilds.ts';
import { createVersions } from './store/versions.ts';
import { watchPreparations } from './waits.ts';
import { BEGIN_MS } from './world/process-globals.ts';
import { randomOf } from './world/random.ts';
import { type Supervised, supervise } from './world/supervisor.ts';
import { createWorld, type World } from './world/world.ts';
import { planWorld } from './world-plan.ts';

export type Outcome = {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly hash: string;
  readonly steps: number;
  /** The duration in virtual time. */
  readonly lasted_ms: number;
  readonly renders: number;
  readonly faults: string;
};

/** Everything must be over that long after the last fault: workers that lose every render pause for 15 minutes at last. */
const DRAIN_MS = 3_600_000;
/** Erasure removes files last, and a failed sweep begins again after a minute. */
const FILES_MS = 300_000;
/** The limit for answers at the beginning: every fault is over in half of it. */
const ANSWERED_WITHIN_MS = 900_000;
const LOOK_MS = 1_000;
/** The maximum skew of ordinary clocks. */
const MAX_SKEW_MS = 1_000;
/** Late answers arrive within this time, and must be right, too. */
const LATE_MS = 5_000;
/**
 * An API that had not seen the lost part of a restored store answers from that store (ADR 53). This ends when a
 * projector has seen its own position fall back, has taken the partition again and has folded it. After a rebuild the
 * API answers from the generation that served before, until it reads the pointer again.
 */
const OLD_FOR_MS = 6_000;
/** A projector ends 30 s after a restored store lost its generation. Another one then folds the generation that serves there. */
const LED_BACK_FOR_MS = 45_000;
const MAX_CRASHES = 40;

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
  const planned = planWorld(seed);
  const { is_loud, lone, partitions, environment_timeout_ms, wrong_clock } = planned;

  let judge: Judge | null = null;
  let managers: Managers = NO_MANAGERS;
  const brokers = createBrokers(world, partitions, (records) => judge?.appended(records));
  const groups = createGroups(world, brokers);
  const versions = createVersions();
  const machinesOf = (role: string, count: number): readonly Machine[] =>
    Array.from({ length: count }, (_, i) => ({
      name: `${role}-${i + 1}`,
      ...{ disk_full: false, engine_old: false, crashes: false, hangs: false },
    }));
  const machines = machinesOf('worker', planned.workers);
  const preparers = machinesOf('preparer', planned.preparers);
  useEmptyDisks();
  useMachines([...machines, ...preparers], mutants);
  const cluster: Cluster = {
    ...{ world, brokers, groups, members: new Map(), machines, mutants, environment_timeout_ms },
    store: {
      ...{ versions, away: false, lost_answers: 0, epoch: 0, restored_at: Number.NEGATIVE_INFINITY },
      slow_position: null,
      now: () => BEGIN_MS + Math.floor(world.scheduler.now() + planned.store_clock_ms),
    },
    blobs: {
      ...{ blobs: new Map(), hashes: new Map(), stored_at: new Map(), written: 0, removed: () => undefined },
      ...{ away: false, lost_answers: 0, sick: new Map(), sickens_next: false },
    },
  };
  const customers = writeCatalogue(
    brokers,
    cluster.blobs,
    planned.customers,
    planned.endpoints,
    planned.has_few_credits ? FEW_CREDITS : 1_000_000,
  );
  const judging = createJudge({
    ...{ world, customers, partitions, environment_timeout_ms },
    isErasing: (project_id) => managers.isErasing(project_id),
    filmFault: (render) => filmFault(cluster.blobs, render),
    isPayloadLost: ({ prepared }) => prepared !== null && !cluster.blobs.blobs.has(prepared.composition.path),
  });
  judge = judging;
  const files = judgeFiles(world, judging);
  cluster.blobs.removed = files.removed;

  const deliver = createEndpoints(world, is_loud || lone !== null ? 0 : random.pick([0, 0.05, 0.2]), judging.delivered);
  const preparations = watchPreparations(world, judging.renders);
  const listening = new Map<string, { readonly of: string; readonly commands: Commands }>();
  const skew = (): number => {
    const skew_ms = is_loud ? 0 : random.between(-MAX_SKEW_MS, MAX_SKEW_MS);
    return processes.length + 1 === wrong_clock?.process ? skew_ms + wrong_clock.by_ms : skew_ms;
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
  for (const { name } of preparers)
    processes.push(supervise(world, name, preparer(cluster, name, preparations.runs), skew()));
  for (const machine of machines) processes.push(supervise(world, machine.name, worker(cluster, machine), skew()));
  for (const i of several(2))
    processes.push(supervise(world, `webhook-relay-${i}`, webhookRelay(cluster, deliver), skew()));
  if (planned.is_swept)
    for (const i of several(2)) processes.push(supervise(world, `retention-${i}`, retention(cluster), skew()));

  const wrong = processes[(wrong_clock?.process ?? 0) - 1]?.name ?? null;
  // A wrong clock of an API changes the time in its ids. A wrong clock of the store changes the time up to which it
  // is folded. A request for a render that is not folded yet may then get 404. Credits depend on neither.
  const is_told_wrong_times =
    wrong?.startsWith('command-api') === true || Math.abs(planned.store_clock_ms) > MAX_SKEW_MS;
  const orders = ordersOf(seed, planned, planned.is_poor ? customers.slice(0, 1) : customers);
  let rebuilds: Rebuilds = NO_REBUILDS;
  const mayBeOld = (asked_at: number): boolean =>
    is_told_wrong_times ||
    asked_at - Math.max(cluster.store.restored_at, rebuilds.ledOverAt()) < OLD_FOR_MS ||
    asked_at - rebuilds.ledBackAt() < LED_BACK_FOR_MS;
  const clients = startClients(world, orders, apis, {
    acknowledged: judging.acknowledged,
    cancelling: judging.cancelling,
    cancelled: judging.cancelled,
    ...{ erasing: judging.erasing, isErased: judging.isErased },
    ...{ mayBeOld, isErasing: (project_id) => managers.isErasing(project_id) },
  });
  if (planned.is_managed)
    managers = startManagers(world, randomOf(seed).fork('managers'), customers, { apis, mayBeOld });
  if (planned.is_rebuilt) rebuilds = startRebuilds(world, randomOf(seed).fork('rebuilds'), cluster.store, apis);
  const troubles = randomOf(seed).fork('faults');
  const plan = is_loud || lone !== null ? null : planFaults(random, machines.length, environment_timeout_ms);
  const faults = plan === null ? null : startFaults(cluster, plan, troubles, processes);
  const trouble =
    lone === null ? null : beginLoneTrouble(cluster, lone, troubles, { customers, judge: judging, all: processes });
  const areOver = (): boolean => (faults ?? trouble)?.areOver() ?? true;

  let over_at: number | null = null;
  let is_done = false;
  let drained_at: number | null = null;
  let folded_at: number | null = null;
  const look = (): void => {
    const now = world.scheduler.now();
    if (is_loud) preparations.lookAtWaits();
    trouble?.lookAtOthers(clients);
    rebuilds.lookAsReader();
    const crashed = processes.find((one) => one.crashes() > MAX_CRASHES);
    if (crashed !== undefined) world.violate(`${crashed.name} crashes again and again`);
    if (areOver() && clients.waiting() + managers.waiting() + rebuilds.waiting() === 0) {
      over_at ??= now;
      const missing = judging.open();
      const lacking = missing.length > 0 ? missing : judging.lackingIn(versions);
      if (lacking.length > 0) folded_at = null;
      else folded_at ??= now;
      const left = (): readonly string[] => [...files.leftIn(cluster.blobs), ...files.namesIn(versions)];
      const open = lacking.length > 0 || !planned.is_swept ? lacking : left();
      if (open.length === 0) {
        drained_at ??= now;
        if (now - drained_at >= LATE_MS) is_done = true;
      } else {
        drained_at = null;
        if (now - over_at > DRAIN_MS || now - (folded_at ?? now) > FILES_MS) {
          for (const one of open.slice(0, 5))
            world.violate(`${Math.round((now - over_at) / 1_000)} s after the last fault ${one}`);
        }
      }
    } else if (now > ANSWERED_WITHIN_MS) {
      world.violate(
        `${clients.waiting()} orders and ${managers.waiting() + rebuilds.waiting()} changes are not answered`,
      );
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
    faults: [
      is_loud ? 'loud' : (lone ?? plan?.kinds.join(',')),
      ...(wrong === null ? [] : [`clock of ${wrong}`]),
    ].join(),
  };
};
