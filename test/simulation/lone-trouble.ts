import type { Customer } from './catalogue.ts';
import type { Clients } from './clients.ts';
import type { Cluster } from './components/cluster.ts';
import type { Judge } from './judge.ts';
import type { Random } from './world/random.ts';
import type { Supervised } from './world/supervisor.ts';
import type { Lone } from './world-plan.ts';

/** For a process to start again, its partitions to be another's, and a render to be made. */
const MOST_WAIT_MS = 30_000;
const POSITION_WAITS_MS = 50_000;
const READ_POSITIONS = ['projectors', 'preparer', 'webhook-relay'] as const;

export type LoneTrouble = {
  readonly areOver: () => boolean;
  /** Nobody whom the trouble does not concern waits for it. */
  readonly lookAtOthers: (clients: Clients) => void;
};

/** The partition of which a position is not known for long, when all its readers start again. */
const waitingPosition = ({ world, brokers, store }: Cluster, random: Random, all: readonly Supervised[]) => {
  const partition = random.between(0, brokers.of('render-events').length - 1);
  const role = random.pick(READ_POSITIONS);
  const at_ms = random.between(5_000, 20_000);
  world.scheduler.after(at_ms, () => {
    world.trace(`fault: where partition ${partition} goes on is not known to ${role}`);
    store.slow_position = { partition, until: world.scheduler.now() + POSITION_WAITS_MS };
    for (const one of all) if (one.name.startsWith(role)) one.restart();
  });
  return { partition, over_at: at_ms + POSITION_WAITS_MS };
};

/** A name or a document of a project for which nobody asks. */
const sickBlob = ({ world, blobs }: Cluster, random: Random, customers: readonly Customer[]): void => {
  const unused = customers.flatMap(({ projects }) => [projects.faulty, projects.deadly]);
  const paths = [...blobs.blobs.keys()].filter((path) => unused.some((project_id) => path.includes(project_id)));
  const path = random.pick(paths);
  blobs.sick.set(path, random.pick(['refused', 'failing']));
  world.trace(`fault: ${path} is not served`);
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
  const { partition, over_at } =
    lone === 'position' ? waitingPosition(cluster, random, all) : { partition: null, over_at: 0 };
  if (lone === 'blob') sickBlob(cluster, random, customers);
  return {
    areOver: () => world.scheduler.now() >= over_at,
    lookAtOthers: (clients) => {
      const before = world.scheduler.now() - MOST_WAIT_MS;
      for (const number of clients.waitingSince(before))
        world.violate(`order ${number} is not answered after ${MOST_WAIT_MS} ms, and only one ${lone} is out of order`);
      for (const late of judge.lateSince(before, partition))
        world.violate(`${late} after ${MOST_WAIT_MS} ms, and only one ${lone} is out of order`);
    },
  };
};
