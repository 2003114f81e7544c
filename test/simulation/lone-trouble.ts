import { type Customer, FEW_CREDITS } from './catalogue.ts';
import type { Clients } from './clients.ts';
import type { Cluster } from './components/cluster.ts';
import type { Judge } from './judge.ts';
import type { Random } from './world/random.ts';
import type { Supervised } from './world/supervisor.ts';
import type { Lone } from './world-plan.ts';

/** Long enough for a process to restart, its partitions to move, and a render to complete. */
const MAX_WAIT_MS = 30_000;
const POSITION_WAITS_MS = 50_000;
const READ_POSITIONS = ['projectors', 'preparer', 'webhook-relay'] as const;

export type LoneTrouble = {
  readonly areOver: () => boolean;
  /** Asserts that no unaffected client waits for the fault. */
  readonly lookAtOthers: (clients: Clients) => void;
};

/** How long the partition stops: longer than the allowed lag of the ledger, after which clients wait. */
const PARTITION_STANDS_MS = 80_000;

const waitingPosition = ({ world, brokers, store }: Cluster, random: Random, all: readonly Supervised[]) => {
  const partition = random.between(0, brokers.of('render-events').length - 1);
  const role = random.pick(READ_POSITIONS);
  const at_ms = random.between(5_000, 20_000);
  world.scheduler.after(at_ms, () => {
    world.trace(`fault: the position of partition ${partition} is unknown to ${role}`);
    store.slow_position = { partition, until: world.scheduler.now() + POSITION_WAITS_MS };
    for (const one of all) if (one.name.startsWith(role)) one.restart();
  });
  return { partition, over_at: at_ms + POSITION_WAITS_MS };
};

const standingPartition = ({ world, brokers }: Cluster, random: Random) => {
  const its = random.pick(brokers.of('render-events'));
  const at_ms = random.between(5_000, 10_000);
  world.scheduler.after(at_ms, () => {
    world.trace(`fault: partition ${its.partition} gets no records`);
    its.withheld_from = 'render-projector';
  });
  world.scheduler.after(at_ms + PARTITION_STANDS_MS, () => {
    its.withheld_from = null;
  });
  return { partition: its.partition, over_at: at_ms + PARTITION_STANDS_MS };
};

const sickBlob = ({ world, blobs }: Cluster, random: Random, customers: readonly Customer[]) => {
  const unused = customers.flatMap(({ projects }) => [projects.faulty, projects.deadly]);
  const paths = [...blobs.blobs.keys()].filter((path) => unused.some((project_id) => path.includes(project_id)));
  const path = random.pick(paths);
  blobs.sick.set(path, random.pick(['refused', 'failing']));
  world.trace(`fault: ${path} is not served`);
  return { partition: null, over_at: 0 };
};

export const beginLoneTrouble = (
  cluster: Cluster,
  lone: Lone,
  random: Random,
  {
    customers,
    judge,
    all,
  }: { readonly customers: readonly Customer[]; readonly judge: Judge; readonly all: readonly Supervised[] },
): LoneTrouble => {
  const { world } = cluster;
  /**
   * While a partition is stopped, a customer with few credits may wait: the remaining credits are unknown until all
   * partitions are folded.
   */
  const mayWait = ({ credits }: Customer): boolean => lone === 'partition' && credits === FEW_CREDITS;
  const begin = {
    position: () => waitingPosition(cluster, random, all),
    partition: () => standingPartition(cluster, random),
    blob: () => sickBlob(cluster, random, customers),
  };
  const { partition, over_at } = begin[lone]();
  return {
    areOver: () => world.scheduler.now() >= over_at,
    lookAtOthers: (clients) => {
      const before = world.scheduler.now() - MAX_WAIT_MS;
      for (const { number } of clients.waitingSince(before).filter(({ customer }) => !mayWait(customer)))
        world.violate(`order ${number} is not answered after ${MAX_WAIT_MS} ms, and only one ${lone} is out of order`);
      for (const late of judge.lateSince(before, partition))
        world.violate(`${late} after ${MAX_WAIT_MS} ms, and only one ${lone} is out of order`);
    },
  };
};
