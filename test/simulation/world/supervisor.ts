import { beginLife, type Life, within } from './life.ts';
import type { World } from './world.ts';

export type Running = { readonly stop: () => Promise<void> };

/** A program as composed by its main.ts. */
export type Program = (life: Life) => Promise<Running>;

/** A process that is restarted whenever it has ended. */
export type Supervised = {
  readonly name: string;
  readonly life: () => Life | null;
  readonly started_at: () => number | null;
  readonly restart: () => void;
  /** Names of the errors that ended the process. */
  readonly crashes: () => readonly string[];
  held: boolean;
};

const STOP_MS = 20_000;

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

export const supervise = (world: World, name: string, program: Program, skew_ms: number): Supervised => {
  const { scheduler, random } = world;
  const crashes: string[] = [];
  let starts = 0;
  let life: Life | null = null;
  let running: Running | null = null;
  let started_at: number | null = null;

  const startLater = (): void => {
    scheduler.after(random.between(300, 3_000), () => (supervised.held ? startLater() : start()));
  };

  const start = (): void => {
    starts += 1;
    world.trace(`${name}#${starts} begins`);
    const own = beginLife(world, name, starts, skew_ms, () => {
      [life, running, started_at] = [null, null, null];
      startLater();
    });
    life = own;
    own.onCrash((error) => void crashes.push(error instanceof Error ? error.name : String(error)));
    within(own, () => {
      program(own).then(
        (its) => {
          if (!own.isAlive()) return;
          running = its;
          started_at = scheduler.now();
        },
        (error: unknown) => own.crash(textOf(error)),
      );
    });
  };

  const supervised: Supervised = {
    name,
    held: false,
    life: () => life,
    started_at: () => started_at,
    crashes: () => crashes,
    restart: () => {
      const [own, its] = [life, running];
      if (own === null || its === null) return;
      world.trace(`${own.name} is asked to stop`);
      const late = own.after(STOP_MS, () => own.kill('too slow to stop'));
      within(own, () => {
        its
          .stop()
          .then(() => own.kill('stopped'))
          .catch((error: unknown) => own.crash(textOf(error)))
          .finally(late);
      });
    },
  };
  start();
  return supervised;
};
