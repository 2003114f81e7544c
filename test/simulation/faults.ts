import { ACCOUNTS_PATH } from '../../schemas/blobs/paths.ts';
import { changedBytes, damage } from './blobs.ts';
import type { Cluster } from './components/cluster.ts';
import { expelFrozen } from './log/groups.ts';
import { filesWith, replaceFile } from './machine/disk.ts';
import type { Random } from './world/random.ts';
import type { Supervised } from './world/supervisor.ts';

/** The possible faults of a world. */
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

/** Faults of one machine: while they last, the crashes of its worker are not the renders' fault. */
const TAKES_DOWN: ReadonlySet<FaultKind> = new Set(['crashes', 'hangs']);

/** A process that is to end after some requests, or to stop, has done so. */
const ENDS_WITHIN_MS = 8_000;
/** Parts are damaged each second meanwhile. */
const PARTS_DAMAGED_MS = 10_000;

export type FaultPlan = {
  readonly begin_ms: number;
  readonly end_ms: number;
  readonly kinds: readonly FaultKind[];
  /** The chance that an answer is lost meanwhile. */
  readonly lost_answers: number;
  readonly outage_ms: number;
};

/** @returns which faults there are, between which times, ms */
export const planFaults = (random: Random, machines: number, environment_timeout_ms: number): FaultPlan => {
  const count = random.between(1, 6);
  const picked = Array.from({ length: count }, () => random.pick(KINDS));
  const restore = picked.indexOf('restore');
  // One restore: what a backup of a store that was restored before holds is not simulated.
  // And one machine at most whose worker goes down by itself: what is lost on all of them is taken to be the render's fault.
  const going_down = picked.findIndex((kind) => TAKES_DOWN.has(kind));
  // If there are two machines, the other one must be able to read every render.
  const may_be_old = going_down === -1 || machines > 2;
  const kinds = picked.filter(
    (kind, i) =>
      (kind !== 'restore' || i === restore) &&
      (!TAKES_DOWN.has(kind) || i === going_down) &&
      (kind !== 'engine_old' || may_be_old),
  );
  const begin_ms = random.between(3_000, 12_000);
  const outage_ms = environment_timeout_ms < 300_000 ? 2 * environment_timeout_ms : 45_000;
  return {
    ...{ begin_ms, end_ms: begin_ms + random.between(4_000, 20_000), kinds, outage_ms },
    lost_answers: random.pick([0, 0, 0.01, 0.05]),
  };
};

export type Faults = {
  /** When the last one has ended, ms; it may not be known yet. */
  readonly areOver: () => boolean;
};

/** Machines that may take attempts down, so that none is lost on three; and how often. */
const MAX_MACHINES_DOWN = 2;
const MAX_TAKEN_DOWN = 4;

export const startFaults = (
  { world, brokers, groups, members, store, blobs, machines }: Cluster,
  plan: FaultPlan,
  random: Random,
  all: readonly Supervised[],
): Faults => {
  const { scheduler } = world;
  const { begin_ms, end_ms, kinds, lost_answers, outage_ms } = plan;
  const down = new Set<string>();
  let [left, taken_down] = [kinds.length + 1, 0];
  const takes_down = kinds.some((kind) => TAKES_DOWN.has(kind));

  const isWorker = ({ name }: Supervised): boolean => name.startsWith('worker');
  /** One that may be ended: of workers not too many. */
  const victim = (): Supervised | null => {
    const one = random.pick(all);
    if (!isWorker(one)) return one;
    if (takes_down || taken_down >= MAX_TAKEN_DOWN) return null;
    if (!down.has(one.name) && down.size >= MAX_MACHINES_DOWN) return null;
    down.add(one.name);
    taken_down += 1;
    return one;
  };
  const during = (ms: number, begin: () => void, end: () => void): number => {
    begin();
    scheduler.after(ms, end);
    return ms;
  };
  const anyPartition = () =>
    random.pick(
      brokers.of(
        random.pick([
          'render-events',
          'render-status',
          'webhook-events',
          'worker-heartbeats',
          'render-commands',
          'catalogue-events',
        ]),
      ),
    );
  const machine = () => random.pick(machines);

  /** Half of what segment caches have, in the blob store and on disks. */
  const damageParts = (): void => {
    const parts = [...blobs.blobs.keys()].filter((one) => one.startsWith(ACCOUNTS_PATH));
    for (const path of parts)
      if (random.chance(0.5)) damage(blobs, path, random.pick(['removed', 'changed', 'cut'] as const));
    for (const { path, bytes } of filesWith('/segments/kept/'))
      if (random.chance(0.5)) replaceFile(path, random.chance(0.5) ? null : changedBytes(bytes));
  };

  /** @returns for how long it lasts, ms */
  const begin = (kind: FaultKind): number => {
    switch (kind) {
      case 'kill': {
        const one = victim()?.life();
        one?.killAtStep(random.between(1, 60), random.chance(0.5));
        return ENDS_WITHIN_MS;
      }
      case 'freeze': {
        const one = victim()?.life();
        const ms = random.between(1_000, 25_000);
        one?.freeze(ms);
        if (one != null) expelFrozen(world, groups, members, one);
        return ms;
      }
      case 'restart':
        random.pick(all).restart();
        return ENDS_WITHIN_MS;
      case 'partition': {
        const its = anyPartition();
        const fault = random.pick(['no_leader', 'below_min_isr'] as const);
        return during(
          random.between(2_000, 20_000),
          () => {
            world.trace(`${its.topic}/${its.partition}: ${fault}`);
            its.fault = fault;
          },
          () => {
            its.fault = null;
            for (const told of [...its.onAppend]) told();
          },
        );
      }
      case 'kafka_away':
        return during(
          random.between(1_000, 20_000),
          () => {
            brokers.away = true;
          },
          () => {
            brokers.away = false;
          },
        );
      case 'rebalance': {
        const names = groups.names();
        if (names.length > 0) groups.rebalance(random.pick(names));
        return 0;
      }
      case 'delay': {
        const its = anyPartition();
        return during(
          random.between(5_000, 20_000),
          () => {
            its.delay_ms = random.between(100, 3_000);
          },
          () => {
            its.delay_ms = 0;
          },
        );
      }
      case 'store_away':
        return during(
          random.between(500, 20_000),
          () => {
            store.away = true;
          },
          () => {
            store.away = false;
          },
        );
      case 'restore': {
        const { versions } = store;
        const as_of = random.chance(0.3) ? 0 : random.between(0, versions.now());
        return during(
          random.between(1_000, 8_000),
          () => {
            store.away = true;
          },
          () => {
            world.trace(`the store is restored: ${as_of} of ${versions.now()}`);
            versions.restore(as_of);
            store.epoch += 1;
            store.restored_at = scheduler.now();
            store.away = false;
          },
        );
      }
      case 'sick_blob': {
        const path = random.pick([...blobs.blobs.keys()].filter((one) => !one.startsWith(ACCOUNTS_PATH)));
        // The next request, or what there is.
        if (random.chance(0.5)) blobs.sickens_next = true;
        else blobs.sick.set(path, random.pick(['refused', 'failing']));
        world.trace(`${blobs.sickens_next ? 'the next request' : path} is not served`);
        return during(
          random.between(1_000, outage_ms),
          () => undefined,
          () => {
            blobs.sickens_next = false;
            blobs.sick.clear();
          },
        );
      }
      case 'parts': {
        for (let at_ms = 0; at_ms < PARTS_DAMAGED_MS; at_ms += 1_000) scheduler.after(at_ms, damageParts);
        return PARTS_DAMAGED_MS;
      }
      case 'position': {
        const partition = random.between(0, brokers.of('render-events').length - 1);
        const lasts_ms = random.between(5_000, 25_000);
        store.slow_position = { partition, until: scheduler.now() + lasts_ms };
        random.pick(all).restart();
        return lasts_ms;
      }
      case 'blobs_away':
        return during(
          random.between(1_000, outage_ms),
          () => {
            blobs.away = true;
          },
          () => {
            blobs.away = false;
          },
        );
      default: {
        // A disk may be full everywhere; on all machines nothing else is out of order at one time.
        const sick = kind === 'disk_full' && random.chance(0.5) ? machines : [machine()];
        const turn = (is_on: boolean): void => {
          for (const its of sick) {
            world.trace(`${its.name}: ${kind} ${is_on ? 'begins' : 'ends'}`);
            its[kind] = is_on;
            // An engine changes with its process.
            if (kind === 'engine_old') all.find(({ name }) => name === its.name)?.restart();
          }
        };
        return during(
          random.between(5_000, outage_ms),
          () => turn(true),
          () => turn(false),
        );
      }
    }
  };

  const over = (): void => {
    left -= 1;
  };
  for (const kind of kinds) {
    scheduler.after(random.between(begin_ms, end_ms), () => {
      world.trace(`fault: ${kind}`);
      scheduler.after(begin(kind), over);
    });
  }
  scheduler.after(begin_ms, () => {
    brokers.lost_answers = lost_answers;
    brokers.refused = lost_answers;
    store.lost_answers = lost_answers;
    blobs.lost_answers = lost_answers;
  });
  scheduler.after(end_ms, () => {
    brokers.lost_answers = 0;
    brokers.refused = 0;
    store.lost_answers = 0;
    blobs.lost_answers = 0;
    over();
  });
  return { areOver: () => left === 0 };
};
