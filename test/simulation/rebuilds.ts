import type { Document } from 'mongodb';
import type { Listening } from './clients.ts';
import type { StoreServer } from './store/read-store.ts';
import type { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** Operators who rebuild the read model of renders while it serves, and the observations of readers. */
export type Rebuilds = {
  readonly waiting: () => number;
  /** Asserts that readers still find everything that they found before, and nothing older. */
  readonly lookAsReader: () => void;
  /** The last time when readers switched to another generation, in the world's time. */
  readonly ledOverAt: () => number;
  /**
   * The last time when a restored store switched readers back to the generation before a rebuild. No projector folds
   * that generation until a projector has noticed the switch.
   */
  readonly ledBackAt: () => number;
};

const MAX_REBUILDS = 2;
/** Longer than any outage: an API that ended meanwhile never answers. */
const TIMEOUT_MS = 90_000;

export const servingIn = ({ versions }: Pick<StoreServer, 'versions'>): number | null =>
  versions
    .all('generations', versions.now())
    .filter((one: Document) => one.read_model === 'renders' && one.serving === true)
    .at(-1)?.generation ?? null;

const readerOf = (world: World, store: StoreServer) => {
  const { versions } = store;
  let seen = new Map<string, number>();
  let epoch = store.epoch;
  let [led_to, led_over_at, led_back_at] = [servingIn(store), Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const ledOverAt = (): number => {
    const generation = servingIn(store);
    if (generation !== led_to) {
      led_over_at = world.scheduler.now();
      if ((generation ?? 0) < (led_to ?? 0)) led_back_at = led_over_at;
      led_to = generation;
    }
    return led_over_at;
  };
  const ledBackAt = (): number => {
    ledOverAt();
    return led_back_at;
  };
  const look = (): void => {
    // A restored store may be older, so the earlier observations no longer count.
    if (epoch !== store.epoch) [seen, epoch] = [new Map(), store.epoch];
    const generation = servingIn(store);
    ledOverAt();
    const found = versions.all(`renders_g${generation}`, versions.now());
    const now = new Map(found.map(({ _id, offset }) => [String(_id), Number(offset)]));
    for (const [id, offset] of seen)
      if ((now.get(id) ?? -1) < offset)
        world.violate(`readers found ${id} as of ${offset}, and find it as of ${now.get(id)} in ${generation}`);
    seen = now;
  };
  return { lookAsReader: look, ledOverAt, ledBackAt };
};

export const startRebuilds = (
  world: World,
  random: Random,
  store: StoreServer,
  apis: readonly Listening[],
): Rebuilds => {
  const { scheduler, trace, violate } = world;
  let waiting = 0;

  const passed = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scheduler.after(ms, resolve);
    return promise;
  };

  const rebuild = async (): Promise<void> => {
    for (;;) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const { epoch } = store;
        const answer = await Promise.race([api.rebuild(), passed(TIMEOUT_MS).then(() => null)]);
        trace(`the rebuild: ${answer?.status ?? 'late'}`);
        if (answer?.status === 200) return;
        if (answer !== null && answer.status !== 503 && epoch === store.epoch)
          violate(`the rebuild was answered ${answer.status}: ${answer.body}`);
      }
      await passed(random.between(500, 3_000));
    }
  };

  for (let left = random.between(1, MAX_REBUILDS); left > 0; left -= 1) {
    waiting += 1;
    scheduler.after(random.between(5_000, 25_000), () => {
      void rebuild().finally(() => {
        waiting -= 1;
      });
    });
  }
  return { waiting: () => waiting, ...readerOf(world, store) };
};

export const NO_REBUILDS: Rebuilds = {
  waiting: () => 0,
  lookAsReader: () => undefined,
  ledOverAt: () => Number.NEGATIVE_INFINITY,
  ledBackAt: () => Number.NEGATIVE_INFINITY,
};
