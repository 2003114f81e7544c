import { replaceModules } from './machine/replace-modules.ts';
import { livesNow } from './world/life.ts';
import { replaceGlobals } from './world/process-globals.ts';

/**
 * node test/simulation/run-seeds.ts <worlds> [trace]: one line of JSON for each seed. Worlds are `1+30` (thirty from
 * seed 1 on) or `18@no_windows` (one with mutants); commas separate several.
 */

const [worlds = '1', trace] = process.argv.slice(2);
replaceModules();
const now = performance.now.bind(performance);
replaceGlobals();
const { simulate, presentWorld } = await import('./simulate.ts');
const { isMutant } = await import('./mutants.ts');

const end = (error: unknown): void => {
  const life = livesNow();
  if (life === undefined)
    presentWorld()?.violate(`nobody handles ${error instanceof Error ? error.stack : String(error)}`);
  else life.crash(error);
};
process.on('unhandledRejection', end);
process.on('uncaughtException', end);

const show = trace === 'trace' ? (line: string) => void process.stdout.write(line) : null;
for (const some of worlds.split(',')) {
  const [seeds = '', ...names] = some.split('@');
  const [from = 1, count = 1] = seeds.split('+').map(Number);
  const mutants = new Set(names.filter(isMutant));
  for (let seed = from; seed < from + count; seed += 1) {
    const began = now();
    const outcome = await simulate(seed, mutants, show);
    process.stdout.write(`${JSON.stringify({ ...outcome, mutants: names, took_ms: Math.round(now() - began) })}\n`);
  }
}
process.exit(0);
