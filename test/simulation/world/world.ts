import { createHash } from 'node:crypto';
import { nextTurn, runsNow } from './process-globals.ts';
import { type Random, randomOf } from './random.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

export type World = {
  readonly seed: number;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly trace: (line: string) => void;
  /** Reports a violation; the simulation ends at the first one. */
  readonly violate: (what: string) => void;
  readonly violations: () => readonly string[];
  /** The sha256 of all lines of the trace. */
  readonly hash: () => string;
};

/** @param show gets every line of the trace */
export const createWorld = (seed: number, show: ((line: string) => void) | null): World => {
  const random = randomOf(seed).fork('world');
  const scheduler = createScheduler(randomOf(seed).fork('order'), nextTurn);
  const hash = createHash('sha256');
  const violations: string[] = [];
  const trace = (line: string): void => {
    const timed = `${scheduler.now().toFixed(3)} ${line}\n`;
    hash.update(timed);
    show?.(timed);
  };
  runsNow({ scheduler, random: randomOf(seed).fork('process') });
  return {
    ...{ seed, random, scheduler, trace },
    violate: (what) => {
      trace(`VIOLATION ${what}`);
      violations.push(what);
    },
    violations: () => violations,
    hash: () => hash.copy().digest('hex'),
  };
};
