/**
 * Runs the engine on hostile files and on mutants of valid files, in both modes of the sandbox. Prints the outcomes.
 *
 * `node test/hostile/main.ts [MUTANTS] [PATTERN]`; the default is 5,000 mutants. Part of `make soak-render`.
 */
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts';
import { makeBases } from './bases.ts';
import { bytesOf, HOSTILE } from './corpus.ts';
import { mutants } from './mutants.ts';
import { type Outcome, openOrdeal } from './ordeal.ts';

const [mutations = '5000', pattern = '.'] = process.argv.slice(2);
/** The time limits of both tries of both steps. */
const LONGEST_MS = 240_000;
const MAX_RSS_BYTES = 2 ** 30;

const bases = await makeBases();
const ordeal = await openOrdeal();
const sandboxes = [
  await openSandbox({ wanted: 'preferred', mode: 'namespaces' }),
  await openSandbox({ wanted: 'preferred', mode: 'filtered' }),
];
const counts = new Map<string, number>();
let faults = 0;

const shown = (outcome: Outcome['rendered']): string =>
  outcome === null || typeof outcome === 'string' ? String(outcome) : 'code' in outcome ? outcome.code : outcome.tag;

const tell = async (name: string, expects: string, outcome: Outcome): Promise<void> => {
  const { checked, rendered, took_ms } = outcome;
  const end = checked === 'accepted' ? shown(rendered) : `refused: ${shown(checked)}`;
  counts.set(end, (counts.get(end) ?? 0) + 1);
  const wrong = [
    ...(checked !== 'accepted' && checked.tag !== 'composition' ? [`checked: ${JSON.stringify(checked)}`] : []),
    ...(expects === 'refused' && rendered === 'rendered' ? ['rendered, though it should be refused'] : []),
    ...(took_ms > LONGEST_MS ? [`took ${took_ms} ms`] : []),
    ...(process.memoryUsage().rss > MAX_RSS_BYTES ? ['this process has grown'] : []),
    ...(await ordeal.reached()),
  ];
  if (wrong.length === 0 && took_ms < 10_000 && end !== 'infrastructure') return;
  faults += wrong.length;
  const why = typeof rendered === 'object' && rendered !== null ? ` ${JSON.stringify(rendered)}` : '';
  process.stdout.write(`${wrong.length > 0 ? 'FAULT ' : ''}${name}: ${end}, ${took_ms} ms ${wrong.join('; ')}${why}\n`);
};

for (const [index, file] of HOSTILE.filter(({ name }) => new RegExp(pattern).test(name)).entries())
  for (const sandbox of sandboxes.slice(index % 2, (index % 2) + 1))
    await tell(
      `${file.name} (${sandbox.mode})`,
      file.expects,
      await ordeal.face(file, bytesOf(file, ordeal.canary, bases), sandbox),
    );
for (const { name, kind, ending, bytes, recipe } of mutants(bases, Number(mutations)))
  for (const sandbox of sandboxes.slice(0, 1))
    await tell(`${name} ${recipe}`, 'either', await ordeal.face({ kind, ending }, bytes, sandbox));

process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
await ordeal.close();
process.exitCode = faults === 0 ? 0 : 1;
