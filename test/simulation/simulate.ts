import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { type Customer, FEW_CREDITS, writeCatalogue } from './catalogue.ts';
import { type Clients, type ClientsDependencies, type Listening, startClients } from './clients.ts';
import type { Cluster } from './components/cluster.ts';
import { type Commands, commandApi } from './components/command-api.ts';
import { dispatcher } from './components/dispatcher.ts';
import { preparer } from './components/preparer.ts';
import { projectors } from './components/projectors.ts';
import { retention } from './components/retention.ts';
import { webhookRelay } from './components/webhook-relay.ts';
import { worker } from './components/worker.ts';
import { createEndpoints } from './endpoints.ts';
import { type Faults, planFaults, startFaults } from './faults.ts';
import { createJudge, type Judge } from './judge.ts';
import { type FilesJudge, judgeFiles } from './judge-files.ts';
import { filmFault } from './judge-films.ts';
import { judgeSeals, type SealsJudge } from './judge-seals.ts';
import { createBrokers } from './log/brokers.ts';
import { createGroups } from './log/groups.ts';
import { beginLoneTrouble, type LoneTrouble } from './lone-trouble.ts';
import { useEmptyDisks } from './machine/disk.ts';
import { type Machine, useMachines } from './machine/machines.ts';
import { type Managers, NO_MANAGERS, startManagers } from './managers.ts';
import type { Mutant } from './mutants.ts';
import { ordersOf } from './orders.ts';
import { NO_REBUILDS, type Rebuilds, startRebuilds } from './rebuilds.ts';
import { createVersions } from './store/versions.ts';
import { type Preparations, watchPreparations } from './waits.ts';
import { BEGIN_MS } from './world/process-globals.ts';
import { type Random, randomOf } from './world/random.ts';
import { type Program, type Supervised, supervise } from './world/supervisor.ts';
import { createWorld, type World } from './world/world.ts';
import { planWorld, type WorldPlan } from './world-plan.ts';

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

/** All work must be done this long after the last fault. Workers that lose every render pause for up to 15 minutes. */
const DRAIN_MS = 3_600_000;
/** The limit for the removal of files, the last step of an erasure. A failed sweep begins again after a minute. */
const FILES_MS = 300_000;
/** The limit for answers to orders. Every fault is over in half of it. */
const ANSWERED_WITHIN_MS = 900_000;
const LOOK_MS = 1_000;
/** The maximum skew of ordinary clocks. */
const MAX_SKEW_MS = 1_000;
/** Late answers arrive within this time, and are judged too. */
const LATE_MS = 5_000;
/**
 * An API that had not seen the lost part of a restored store answers from that store (ADR 53). This ends when a
 * projector has noticed the restore and folded the partition again. After a rebuild the API answers from the previous
 * generation until it reads the pointer again.
 */
const OLD_FOR_MS = 10_000;
/** A projector ends 30 s after a restored store lost its generation. Then another one folds the serving generation. */
const LED_BACK_FOR_MS = 45_000;
const MAX_CRASHES = 40;
/** Errors of a process that lost a partition before it learned of the rebalance. It must give up only the partition. */
const TAKEN_ERRORS: ReadonlySet<string> = new Set(['CheckpointMoved', 'PartitionTaken']);

let present: World | null = null;

/** The simulation that runs now. */
export const presentWorld = (): World | null => present;

const machinesOf = (role: string, count: number): readonly Machine[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `${role}-${i + 1}`,
    ...{ disk_full: false, engine_old: false, crashes: false, hangs: false },
  }));

type ClusterParts = Pick<Cluster, 'world' | 'machines' | 'mutants' | 'opened'> & {
  readonly planned: WorldPlan;
  readonly appended: (records: readonly LogRecord[]) => void;
};

const createCluster = ({ world, machines, mutants, planned, appended, opened }: ClusterParts): Cluster => {
  const { partitions, environment_timeout_ms, store_clock_ms } = planned;
  const brokers = createBrokers(world, partitions, appended);
  const groups = createGroups(world, brokers);
  return {
    ...{ world, brokers, groups, members: new Map(), machines, mutants, environment_timeout_ms, opened },
    store: {
      ...{ versions: createVersions(), away: false, lost_answers: 0, epoch: 0 },
      ...{ restored_at: Number.NEGATIVE_INFINITY, slow_position: null },
      now: () => BEGIN_MS + Math.floor(world.scheduler.now() + store_clock_ms),
    },
    blobs: {
      ...{ blobs: new Map(), hashes: new Map(), stored_at: new Map(), versions: new Map(), tree_versions: new Map() },
      ...{ lost: new Map(), written: 0, removed: () => undefined },
      ...{ away: false, lost_answers: 0, sick: new Map(), sickens_next: false },
    },
  };
};

/** They start after the judge, which asks them. */
type Operators = { managers: Managers; rebuilds: Rebuilds };
type Judges = { readonly judge: Judge; readonly seals: SealsJudge; readonly files: FilesJudge };

const openJudges = (
  { world, blobs }: Cluster,
  { partitions, environment_timeout_ms }: WorldPlan,
  customers: readonly Customer[],
  operators: Operators,
): Judges => {
  const judge: Judge = createJudge({
    ...{ world, customers, partitions, environment_timeout_ms },
    isErasing: (project_id) => operators.managers.isErasing(project_id),
    isErasingAccount: (account_id) => operators.managers.isErasingAccount(account_id),
    filmFault: (render, posted) => filmFault(blobs, render, posted),
    isPayloadLost: ({ prepared }) => prepared !== null && !blobs.blobs.has(prepared.composition.path),
    isTextLost: ({ id, request }) => blobs.lost.has(request?.path ?? '') || seals.isKeyLost(id),
  });
  const { sealed: requests, postedAs, isErased } = judge;
  const seals: SealsJudge = judgeSeals({ world, blobs, requests, postedAs, isErased });
  return { judge, seals, files: judgeFiles(world, judge) };
};

type ProcessesParts = {
  readonly cluster: Cluster;
  readonly planned: WorldPlan;
  readonly preparers: readonly Machine[];
  readonly random: Random;
  readonly preparationRuns: Preparations['runs'];
  readonly deliver: ReturnType<typeof createEndpoints>;
};

type Processes = { readonly all: readonly Supervised[]; readonly apis: readonly Listening[] };

/** Starts every component once or twice, and the workers and preparers of the plan. */
const startProcesses = (parts: ProcessesParts): Processes => {
  const { cluster, planned, preparers, random, preparationRuns, deliver } = parts;
  const { is_loud, wrong_clock } = planned;
  const all: Supervised[] = [];
  const skew = (): number => {
    const skew_ms = is_loud ? 0 : random.between(-MAX_SKEW_MS, MAX_SKEW_MS);
    return all.length + 1 === wrong_clock?.process ? skew_ms + wrong_clock.by_ms : skew_ms;
  };
  const start = (name: string, program: Program): Supervised => {
    const supervised = supervise(cluster.world, name, program, skew());
    all.push(supervised);
    return supervised;
  };
  const oneOrTwo = (): readonly number[] => Array.from({ length: random.between(1, 2) }, (_, i) => i + 1);
  const startApi = (name: string, fold_version: number): Listening => {
    let listening: { readonly of: string; readonly commands: Commands } | null = null;
    const supervised = start(name, (life) =>
      commandApi(cluster, fold_version, (commands) => {
        listening = { of: life.name, commands };
      })(life),
    );
    return { commands: () => (listening?.of === supervised.life()?.name ? (listening?.commands ?? null) : null) };
  };

  for (const i of oneOrTwo()) start(`projectors-${i}`, projectors(cluster));
  const [first_version, second_version] = planned.fold_versions;
  const apis = oneOrTwo().map((i) => startApi(`command-api-${i}`, i === 1 ? first_version : second_version));
  for (const i of oneOrTwo()) start(`dispatcher-${i}`, dispatcher(cluster));
  for (const { name } of preparers) start(name, preparer(cluster, name, preparationRuns));
  for (const machine of cluster.machines) start(machine.name, worker(cluster, machine));
  for (const i of oneOrTwo()) start(`webhook-relay-${i}`, webhookRelay(cluster, deliver));
  if (planned.is_swept) for (const i of oneOrTwo()) start(`retention-${i}`, retention(cluster));
  return { all, apis };
};

type Simulation = {
  readonly cluster: Cluster;
  readonly planned: WorldPlan;
  readonly judges: Judges;
  readonly preparations: Preparations;
  readonly processes: Processes;
  readonly clients: Clients;
  readonly operators: Operators;
  readonly faults: Faults | null;
  readonly trouble: LoneTrouble | null;
};

/** Unfinished work; the files and keys of erased renders count once everything else is done. */
const openWork = ({
  cluster,
  planned,
  judges: { judge, seals, files },
}: Simulation): { readonly all: readonly string[]; readonly is_folded: boolean } => {
  const { versions } = cluster.store;
  const missing = judge.open();
  const lacking = missing.length > 0 ? missing : judge.lackingIn(versions);
  const is_folded = lacking.length === 0;
  if (!is_folded || !planned.is_swept) return { all: lacking, is_folded };
  return { all: [...files.leftIn(cluster.blobs), ...files.textsIn(versions), ...seals.leftIn()], is_folded };
};

/** Looks at the world each second. @returns whether all work is done, and late answers have arrived */
const watchProgress = (simulation: Simulation): (() => boolean) => {
  const { cluster, planned, judges, preparations, processes, clients, operators, faults, trouble } = simulation;
  const { world, store } = cluster;
  let over_at: number | null = null;
  let drained_at: number | null = null;
  let folded_at: number | null = null;
  let is_done = false;

  const lookAtOpenWork = (now: number): void => {
    over_at ??= now;
    const { all: open, is_folded } = openWork(simulation);
    folded_at = is_folded ? (folded_at ?? now) : null;
    if (open.length === 0) {
      drained_at ??= now;
      if (now - drained_at < LATE_MS) return;
      judges.seals.lookAtTexts();
      is_done = true;
      return;
    }
    drained_at = null;
    if (now - over_at <= DRAIN_MS && now - (folded_at ?? now) <= FILES_MS) return;
    for (const one of open.slice(0, 5))
      world.violate(`${Math.round((now - over_at) / 1_000)} s after the last fault ${one}`);
  };

  const look = (): void => {
    const now = world.scheduler.now();
    if (planned.is_loud) preparations.lookAtWaits();
    trouble?.lookAtOthers(clients);
    operators.rebuilds.lookAsReader();
    for (const { name, crashes } of processes.all) {
      if (crashes().length > MAX_CRASHES) world.violate(`${name} crashes again and again`);
      const taken = store.epoch === 0 ? crashes().find((error) => TAKEN_ERRORS.has(error)) : undefined;
      if (taken !== undefined) world.violate(`${name} ended with ${taken}, because another process took a partition`);
    }
    const are_faults_over = (faults ?? trouble)?.areOver() ?? true;
    const changes = operators.managers.waiting() + operators.rebuilds.waiting();
    if (are_faults_over && clients.waiting() + changes === 0) lookAtOpenWork(now);
    else if (now > ANSWERED_WITHIN_MS)
      world.violate(`${clients.waiting()} orders and ${changes} changes are not answered`);
    world.scheduler.after(LOOK_MS, look);
  };
  world.scheduler.after(LOOK_MS, look);
  return () => is_done;
};

/** @param wrong the process with the wrong clock; null without one */
const mayBeOldIn = (
  { store }: Cluster,
  { store_clock_ms }: WorldPlan,
  wrong: string | null,
  operators: Operators,
): ClientsDependencies['mayBeOld'] => {
  // A wrong clock of an API changes the time in its ids. A wrong clock of the store changes the time up to which it
  // is folded. A request for a render that is not folded yet may then get 404. Credits depend on neither.
  const are_times_wrong = wrong?.startsWith('command-api') === true || Math.abs(store_clock_ms) > MAX_SKEW_MS;
  return (asked_at) =>
    are_times_wrong ||
    asked_at - Math.max(store.restored_at, operators.rebuilds.ledOverAt()) < OLD_FOR_MS ||
    asked_at - operators.rebuilds.ledBackAt() < LED_BACK_FOR_MS;
};

type PeopleParts = {
  readonly seed: number;
  readonly planned: WorldPlan;
  readonly cluster: Cluster;
  readonly customers: readonly Customer[];
  readonly judge: Judge;
  readonly apis: readonly Listening[];
  readonly mayBeOld: ClientsDependencies['mayBeOld'];
  readonly operators: Operators;
};

/** Starts the clients, and the managers and rebuilds of the plan. */
const startPeople = (parts: PeopleParts): Clients => {
  const { seed, planned, cluster, customers, judge, apis, mayBeOld, operators } = parts;
  const { world, store } = cluster;
  const orders = ordersOf(seed, planned, planned.is_poor ? customers.slice(0, 1) : customers);
  const clients = startClients(world, orders, apis, {
    ...{
      posting: judge.posting,
      acknowledged: judge.acknowledged,
      cancelling: judge.cancelling,
      cancelled: judge.cancelled,
    },
    ...{ erasing: judge.erasing, isErased: judge.isErased, mayBeOld },
    isErasing: (project_id) => operators.managers.isErasing(project_id),
    isErasingAccount: (account_id) => operators.managers.isErasingAccount(account_id),
  });
  if (planned.is_managed)
    operators.managers = startManagers(world, randomOf(seed).fork('managers'), customers, {
      ...{ apis, mayBeOld },
      erasures: randomOf(seed).fork('erased accounts'),
    });
  if (planned.is_rebuilt) operators.rebuilds = startRebuilds(world, randomOf(seed).fork('rebuilds'), store, apis);
  return clients;
};

const runToEnd = async (world: World, isDone: () => boolean): Promise<void> => {
  try {
    await world.scheduler.runUntil(() => isDone() || world.violations().length > 0);
  } catch (error) {
    world.violate(`the simulation itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
};

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
  const { is_loud, lone } = planned;

  const machines = machinesOf('worker', planned.workers);
  const preparers = machinesOf('preparer', planned.preparers);
  useEmptyDisks();
  useMachines([...machines, ...preparers], mutants);
  let judges: Judges | null = null;
  const cluster = createCluster({
    ...{ world, machines, mutants, planned },
    appended: (records) => judges?.judge.appended(records),
    opened: (opened) => judges?.seals.opened(opened),
  });
  const credits = planned.has_few_credits ? FEW_CREDITS : 1_000_000;
  const customers = writeCatalogue(cluster.brokers, cluster.blobs, planned.customers, planned.endpoints, credits);
  const operators: Operators = { managers: NO_MANAGERS, rebuilds: NO_REBUILDS };
  judges = openJudges(cluster, planned, customers, operators);
  const { judge } = judges;
  cluster.blobs.removed = judges.files.removed;

  const deliver = createEndpoints(world, is_loud || lone !== null ? 0 : random.pick([0, 0.05, 0.2]), judge.delivered);
  const preparations = watchPreparations(world, judge.renders);
  const processes = startProcesses({
    ...{ cluster, planned, preparers, random, deliver, preparationRuns: preparations.runs },
  });
  const { all, apis } = processes;
  const wrong = all[(planned.wrong_clock?.process ?? 0) - 1]?.name ?? null;
  const mayBeOld = mayBeOldIn(cluster, planned, wrong, operators);
  const clients = startPeople({ seed, planned, cluster, customers, judge, apis, mayBeOld, operators });
  const troubles = randomOf(seed).fork('faults');
  const plan = is_loud || lone !== null ? null : planFaults(random, machines.length, planned);
  const faults = plan === null ? null : startFaults(cluster, plan, troubles, all);
  const trouble = lone === null ? null : beginLoneTrouble(cluster, lone, troubles, { customers, judge, all });

  const isDone = watchProgress({
    ...{ cluster, planned, judges, preparations, processes, clients, operators, faults, trouble },
  });
  await runToEnd(world, isDone);
  present = null;
  const clock = wrong === null ? [] : [`clock of ${wrong}`];
  return {
    ...{ seed, violations: world.violations(), hash: world.hash(), steps: world.scheduler.steps() },
    ...{ lasted_ms: world.scheduler.now(), renders: judge.renders().size },
    faults: [is_loud ? 'loud' : (lone ?? plan?.kinds.join(',')), ...clock].join(),
  };
};
