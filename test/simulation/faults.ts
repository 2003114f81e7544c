import { ACCOUNTS_PATH, keyTreeAt } from '../../schemas/blobs/paths.ts';
import { type BlobBackup, backUp, hasChanged, restoreBlobs } from './blob-backups.ts';
import { changedBytes, damage } from './blobs.ts';
import type { Cluster } from './components/cluster.ts';
import type { Partition } from './log/brokers.ts';
import { expelFrozen } from './log/groups.ts';
import { filesWith, replaceFile } from './machine/disk.ts';
import type { Random } from './world/random.ts';
import type { Supervised } from './world/supervisor.ts';
import type { WorldPlan } from './world-plan.ts';

export type FaultKind =
  | 'kill'
  | 'freeze'
  | 'restart'
  | 'partition'
  | 'kafka_away'
  | 'rebalance'
  | 'delay'
  | 'store_away'
  | 'restore'
  | 'blobs_away'
  | 'disk_full'
  | 'engine_old'
  | 'crashes'
  | 'hangs'
  | 'sick_blob'
  | 'restore_blobs'
  | 'restore_tree'
  | 'parts'
  | 'position';

const KINDS: readonly FaultKind[] = [
  ...(['kill', 'kill', 'kill', 'freeze', 'restart', 'partition', 'kafka_away', 'rebalance', 'delay'] as const),
  ...([
    'store_away',
    'restore',
    'blobs_away',
    'disk_full',
    'engine_old',
    'crashes',
    'hangs',
    'sick_blob',
    'parts',
    'position',
  ] as const),
];

/** Faults of one machine that crash its worker. The renders are not to blame for these crashes. */
const TAKES_DOWN: ReadonlySet<FaultKind> = new Set(['crashes', 'hangs']);

export type FaultPlan = {
  readonly begin_ms: number;
  readonly end_ms: number;
  readonly kinds: readonly FaultKind[];
  /** The chance that an answer is lost between the two times. */
  readonly lost_answers: number;
  readonly outage_ms: number;
};

const RESTORES = { all: 'restore_blobs', tree: 'restore_tree' } as const;

export const planFaults = (
  random: Random,
  machines: number,
  { environment_timeout_ms, blob_restore }: Pick<WorldPlan, 'environment_timeout_ms' | 'blob_restore'>,
): FaultPlan => {
  const count = random.between(1, 6);
  const picked = Array.from({ length: count }, () => random.pick(KINDS));
  const restore = picked.indexOf('restore');
  // One restore at most: backups of a restored store are not simulated. And one machine at most whose worker crashes:
  // a render that is lost on all machines counts as faulty.
  const going_down = picked.findIndex((kind) => TAKES_DOWN.has(kind));
  // If there are two machines, the other one must be able to read every render.
  const may_be_old = going_down === -1 || machines > 2;
  const others = picked.filter(
    (kind, i) =>
      (kind !== 'restore' || i === restore) &&
      (!TAKES_DOWN.has(kind) || i === going_down) &&
      (kind !== 'engine_old' || may_be_old),
  );
  const kinds = blob_restore === null ? others : [...others, RESTORES[blob_restore]];
  const begin_ms = random.between(3_000, 12_000);
  const outage_ms = environment_timeout_ms < 300_000 ? 2 * environment_timeout_ms : 45_000;
  return {
    ...{ begin_ms, end_ms: begin_ms + random.between(4_000, 20_000), kinds, outage_ms },
    lost_answers: random.pick([0, 0, 0.01, 0.05]),
  };
};

export type Faults = {
  readonly areOver: () => boolean;
};

/** By then a process has reached the request at which it ends, or has stopped. */
const ENDS_WITHIN_MS = 8_000;
/** Parts are damaged each second for that long. */
const PARTS_DAMAGED_MS = 10_000;
/** A render that is lost on three machines fails. So faults end workers of two machines at most, and that often. */
const MAX_MACHINES_DOWN = 2;
const MAX_TAKEN_DOWN = 4;

const FAULTY_TOPICS = [
  'render-events',
  'render-status',
  'webhook-events',
  'worker-heartbeats',
  'render-commands',
  'catalogue-events',
] as const;

type Context = Cluster & {
  readonly random: Random;
  readonly all: readonly Supervised[];
  readonly outage_ms: number;
  /** A random process that may be ended; null if the random one is a worker that may not. */
  readonly victim: () => Supervised | null;
};

/** @returns the duration, ms */
type Begin = (context: Context) => number;

const during = ({ world }: Context, ms: number, begin: () => void, end: () => void): number => {
  begin();
  world.scheduler.after(ms, end);
  return ms;
};

const anyPartition = ({ random, brokers }: Context): Partition => random.pick(brokers.of(random.pick(FAULTY_TOPICS)));

const victimsOf = (random: Random, all: readonly Supervised[], takes_down: boolean): (() => Supervised | null) => {
  const down = new Set<string>();
  let taken_down = 0;
  return () => {
    const one = random.pick(all);
    if (!one.name.startsWith('worker')) return one;
    if (takes_down || taken_down >= MAX_TAKEN_DOWN) return null;
    if (!down.has(one.name) && down.size >= MAX_MACHINES_DOWN) return null;
    down.add(one.name);
    taken_down += 1;
    return one;
  };
};

const kill: Begin = ({ random, victim }) => {
  const life = victim()?.life();
  life?.killAtStep(random.between(1, 60), random.chance(0.5));
  return ENDS_WITHIN_MS;
};

const freeze: Begin = ({ world, groups, members, random, victim }) => {
  const life = victim()?.life();
  const ms = random.between(1_000, 25_000);
  life?.freeze(ms);
  if (life != null) expelFrozen(world, groups, members, life);
  return ms;
};

const restart: Begin = ({ random, all }) => {
  random.pick(all).restart();
  return ENDS_WITHIN_MS;
};

const failPartition: Begin = (context) => {
  const { world, random } = context;
  const faulty = anyPartition(context);
  const fault = random.pick(['no_leader', 'below_min_isr'] as const);
  return during(
    context,
    random.between(2_000, 20_000),
    () => {
      world.trace(`${faulty.topic}/${faulty.partition}: ${fault}`);
      faulty.fault = fault;
    },
    () => {
      faulty.fault = null;
      for (const listener of [...faulty.onAppend]) listener();
    },
  );
};

const delayPartition: Begin = (context) => {
  const { random } = context;
  const slow = anyPartition(context);
  return during(
    context,
    random.between(5_000, 20_000),
    () => {
      slow.delay_ms = random.between(100, 3_000);
    },
    () => {
      slow.delay_ms = 0;
    },
  );
};

const rebalance: Begin = ({ groups, random }) => {
  const names = groups.names();
  if (names.length > 0) groups.rebalance(random.pick(names));
  return 0;
};

const takeAway = (context: Context, server: { away: boolean }, ms: number): number =>
  during(
    context,
    ms,
    () => {
      server.away = true;
    },
    () => {
      server.away = false;
    },
  );

const restoreStore: Begin = (context) => {
  const { world, random, store } = context;
  const { versions } = store;
  const as_of = random.chance(0.3) ? 0 : random.between(0, versions.now());
  return during(
    context,
    random.between(1_000, 8_000),
    () => {
      store.away = true;
    },
    () => {
      world.trace(`the store is restored: ${as_of} of ${versions.now()}`);
      versions.restore(as_of);
      store.epoch += 1;
      store.restored_at = world.scheduler.now();
      store.away = false;
    },
  );
};

/** Backs the blob store up at once, and restores it later. */
const restoreBackup =
  (pathsOf: (changed: readonly string[], backup: BlobBackup, random: Random) => readonly string[]): Begin =>
  ({ world, random, blobs }) => {
    const { scheduler } = world;
    const backup = backUp(blobs);
    const after_ms = random.between(2_000, 25_000);
    const away_ms = random.between(500, 5_000);
    scheduler.after(after_ms, () => {
      blobs.away = true;
    });
    scheduler.after(after_ms + away_ms, () => {
      const all = new Set([...blobs.blobs.keys(), ...backup.blobs.keys()]);
      const changed = [...all].filter((path) => hasChanged(blobs, backup, path));
      const paths = pathsOf(changed, backup, random);
      world.trace(`blobs are restored: ${paths.join(', ')}`);
      restoreBlobs(blobs, backup, paths, scheduler.now());
      blobs.away = false;
    });
    return after_ms + away_ms;
  };

/** One key tree that the backup has, if its leaves were punctured since. */
const oneChangedTree = (changed: readonly string[], backup: BlobBackup, random: Random): readonly string[] => {
  const trees = changed.filter((path) => keyTreeAt(path) !== null && backup.blobs.has(path));
  return trees.length === 0 ? [] : [random.pick(trees)];
};

/** Either the next requested blob or an existing one is unreadable. */
const sickenBlob: Begin = (context) => {
  const { world, random, blobs, outage_ms } = context;
  const path = random.pick([...blobs.blobs.keys()].filter((one) => !isPart(one)));
  if (random.chance(0.5)) blobs.sickens_next = true;
  else blobs.sick.set(path, random.pick(['refused', 'failing']));
  world.trace(`${blobs.sickens_next ? 'the next request' : path} is not served`);
  return during(
    context,
    random.between(1_000, outage_ms),
    () => undefined,
    () => {
      blobs.sickens_next = false;
      blobs.sick.clear();
    },
  );
};

const isPart = (path: string): boolean => path.startsWith(ACCOUNTS_PATH) && keyTreeAt(path) === null;

/** Damages half of the cached segments, in the blob store and on disks. */
const damageParts = ({ world, random, blobs }: Context): void => {
  const parts = [...blobs.blobs.keys()].filter(isPart);
  for (const path of parts)
    if (random.chance(0.5))
      damage(blobs, path, world.scheduler.now(), random.pick(['removed', 'changed', 'cut'] as const));
  for (const { path, bytes } of filesWith('/segments/kept/'))
    if (random.chance(0.5)) replaceFile(path, random.chance(0.5) ? null : changedBytes(bytes));
};

const damagePartsEachSecond: Begin = (context) => {
  const { scheduler } = context.world;
  for (let at_ms = 0; at_ms < PARTS_DAMAGED_MS; at_ms += 1_000) scheduler.after(at_ms, () => damageParts(context));
  return PARTS_DAMAGED_MS;
};

/** A restarted process waits for the position of one partition. */
const slowPosition: Begin = ({ world, brokers, store, random, all }) => {
  const partition = random.between(0, brokers.of('render-events').length - 1);
  const lasts_ms = random.between(5_000, 25_000);
  store.slow_position = { partition, until: world.scheduler.now() + lasts_ms };
  random.pick(all).restart();
  return lasts_ms;
};

/** A disk may be full on all machines. Each other fault affects one machine at a time. */
const sickenMachine =
  (kind: 'disk_full' | 'engine_old' | 'crashes' | 'hangs'): Begin =>
  (context) => {
    const { world, random, machines, all, outage_ms } = context;
    const sick = kind === 'disk_full' && random.chance(0.5) ? machines : [random.pick(machines)];
    const turn = (is_on: boolean): void => {
      for (const machine of sick) {
        world.trace(`${machine.name}: ${kind} ${is_on ? 'begins' : 'ends'}`);
        machine[kind] = is_on;
        // An engine changes with its process.
        if (kind === 'engine_old') all.find(({ name }) => name === machine.name)?.restart();
      }
    };
    return during(
      context,
      random.between(5_000, outage_ms),
      () => turn(true),
      () => turn(false),
    );
  };

const BEGIN: Readonly<Record<FaultKind, Begin>> = {
  ...{ kill, freeze, restart, rebalance },
  partition: failPartition,
  delay: delayPartition,
  kafka_away: (context) => takeAway(context, context.brokers, context.random.between(1_000, 20_000)),
  store_away: (context) => takeAway(context, context.store, context.random.between(500, 20_000)),
  blobs_away: (context) => takeAway(context, context.blobs, context.random.between(1_000, context.outage_ms)),
  restore: restoreStore,
  restore_blobs: restoreBackup((changed) => changed),
  restore_tree: restoreBackup(oneChangedTree),
  sick_blob: sickenBlob,
  parts: damagePartsEachSecond,
  position: slowPosition,
  disk_full: sickenMachine('disk_full'),
  engine_old: sickenMachine('engine_old'),
  crashes: sickenMachine('crashes'),
  hangs: sickenMachine('hangs'),
};

const loseAnswers = ({ brokers, store, blobs }: Cluster, chance: number): void => {
  brokers.lost_answers = chance;
  brokers.refused = chance;
  store.lost_answers = chance;
  blobs.lost_answers = chance;
};

export const startFaults = (cluster: Cluster, plan: FaultPlan, random: Random, all: readonly Supervised[]): Faults => {
  const { world } = cluster;
  const { begin_ms, end_ms, kinds, lost_answers, outage_ms } = plan;
  const takes_down = kinds.some((kind) => TAKES_DOWN.has(kind));
  const context: Context = { ...cluster, random, all, outage_ms, victim: victimsOf(random, all, takes_down) };
  let left = kinds.length + 1;
  const over = (): void => {
    left -= 1;
  };
  for (const kind of kinds) {
    world.scheduler.after(random.between(begin_ms, end_ms), () => {
      world.trace(`fault: ${kind}`);
      world.scheduler.after(BEGIN[kind](context), over);
    });
  }
  world.scheduler.after(begin_ms, () => loseAnswers(cluster, lost_answers));
  world.scheduler.after(end_ms, () => {
    loseAnswers(cluster, 0);
    over();
  });
  return { areOver: () => left === 0 };
};
