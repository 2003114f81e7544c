import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMutant, MUTANTS } from './mutants.ts';
import { simulateSeeds, worldsText } from './seeds.ts';

/**
 * make simulate: SEEDS=<count> FROM=<first>, or SEED=<one> with its trace; FAULTS=<names> restores earlier faults;
 * JOBS=<processes>.
 */

const { SEEDS = '10000', FROM = '1', SEED, FAULTS = '', JOBS } = process.env;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const names = FAULTS.split(',').filter((name) => name !== '');
const mutants = names.filter(isMutant);
const unknown = names.filter((name) => !isMutant(name));
if (unknown.length > 0) {
  say(`FAULTS: ${unknown.join(', ')} is not one of`);
  for (const [name, about] of Object.entries(MUTANTS)) say(`  ${name.padEnd(24)}${about}`);
  process.exit(2);
}

if (SEED !== undefined) {
  const program = fileURLToPath(new URL('run-seeds.ts', import.meta.url));
  const child = spawn(process.execPath, [program, worldsText({ from: Number(SEED), count: 1, mutants }), 'trace'], {
    stdio: 'inherit',
  });
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  const began = Date.now();
  let [done, violated] = [0, 0];
  await simulateSeeds({
    ...{ from: Number(FROM), count: Number(SEEDS), mutants },
    processes: Number(JOBS ?? availableParallelism()),
    onSeed: ({ seed, violations, faults }) => {
      done += 1;
      if (violations.length > 0) {
        violated += 1;
        say(`seed ${seed} (${faults}): ${violations[0]}`);
      }
      if (done % 500 === 0)
        say(`${done} seeds, ${violated} of them violated, ${Math.round((Date.now() - began) / 1_000)} s`);
    },
  });
  say(`${done} seeds, ${violated} of them violated, in ${Math.round((Date.now() - began) / 1_000)} s`);
  process.exitCode = Number(violated > 0);
}
