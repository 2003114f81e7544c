import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { unconfinedCommand } from '../../../platform/sandbox/unconfined.ts';
import type { Mutant } from '../mutants.ts';
import type { Life } from '../world/life.ts';

export type Machine = {
  readonly name: string;
  disk_full: boolean;
  /** A worker that starts there cannot read current compositions. */
  engine_old: boolean;
  crashes: boolean;
  hangs: boolean;
};

let machines = new Map<string, Machine>();
let replaced: ReadonlySet<Mutant> = new Set();

export const useMachines = (all: readonly Machine[], mutants: ReadonlySet<Mutant>): void => {
  machines = new Map(all.map((one) => [one.name, one]));
  replaced = mutants;
};

export const isAsBefore = (mutant: Mutant): boolean => replaced.has(mutant);

export const folderOf = (machine: string): string => `/${machine}/work`;

export const machineOfPath = (path: string): Machine => {
  const found = machines.get(path.split('/')[1] ?? '');
  if (found === undefined) throw new Error(`${path} is on no machine`);
  return found;
};

export const asked = (life: Life | undefined): Life => {
  if (life === undefined) throw new Error('this is a part of no process');
  return life;
};

export const UNCONFINED: Sandbox = { mode: 'none', isolates: false, reason: 'simulated', confine: unconfinedCommand };
