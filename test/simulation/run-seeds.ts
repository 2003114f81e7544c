import { replaceModules } from './machine/replace-modules.ts';
import { livesNow } from './world/life.ts';
import { replaceGlobals } from './world/process-globals.ts';

/* node test/simulation/run-seeds.ts <from> <count> <mutants> [trace]: one line of JSON for each seed. */

const [from = '1', count = '1', names = '', trace] = process.argv.slice(2);
replaceModules();
const now = performance.now.bind(performance);
replaceGlobals();
const { simulate, presentWorld } = await import('./simulate.ts');
const { isMutant } = await import('./mutants.ts');

// As in a process of the service: what nobody handles ends it.
const end = (error: unknown): void => {
  const life = livesNow();
  if (life === undefined)
    presentWorld()?.violate(`nobody handles ${error instanceof Error ? error.stack : String(error)}`);
  else life.crash(error);
};
process.on('unhandledRejection', end);
process.on('uncaughtException', end);

const mutants = new Set(names.split(',').filter(isMutant));
const show = trace === 'trace' ? (line: string) => void process.stdout.write(line) : null;
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const began = now();
  const outcome = await simulate(seed, mutants, show);
  process.stdout.write(`${JSON.stringify({ ...outcome, took_ms: Math.round(now() - began) })}\n`);
}
process.exit(0);
