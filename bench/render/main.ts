/**
 * make bench-render: the engine and hand-written ffmpeg commands, alternating in one run, from an empty cache.
 *
 *   node bench/render/main.ts [short] [long] [campaign] [stack] [killed] [--pairs 5]     all by default
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import pLimit from 'p-limit';
import { openFolderCache } from '../../engine/cache/folder-cache.ts';
import { catchStopSignals } from '../../stack/process/stop-signals.ts';
import type { BenchmarkResult } from '../figures.ts';
import { campaignOnStack } from './campaign-stack.ts';
import { type BenchCase, campaignCase, longCase, shortCase } from './cases.ts';
import { renderCase } from './engine-run.ts';
import { resumeAfterKill } from './killed.ts';
import { comparisonResults, type MeasuredRun, measureInFolder, runCommandInFolder } from './pairs.ts';
import { makeSources } from './sources.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { pairs: { type: 'string' } } });
const PAIRS = Number(values.pairs ?? '5');
const CORES = availableParallelism();
const NAMES = Array.from({ length: 50 }, (_, n) => `Guest number ${n + 1}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { stop } = catchStopSignals();
const asked = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
const at = (name: string): string => join(folder, name);
const figures: BenchmarkResult[] = [];

const cold = (one: BenchCase): Promise<MeasuredRun> =>
  measureInFolder(at('ours'), async (into) => {
    const cache = await openFolderCache(at('cold'));
    await renderCase(one, 'Grace Hopper', into, { cache });
    await rm(at('cold'), { recursive: true, force: true });
  });

/** All caches are empty each time. The two sides take turns in going first. */
const benchCold = async (one: BenchCase): Promise<readonly MeasuredRun[]> => {
  const [ours, theirs]: [MeasuredRun[], MeasuredRun[]] = [[], []];
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    stop.throwIfAborted();
    say(`Measuring: ${one.name}, pair ${pair} of ${PAIRS} …`);
    if (pair % 2 === 0) theirs.push(await runCommandInFolder(one, 'Grace Hopper', at('theirs')));
    ours.push(await cold(one));
    if (pair % 2 === 1) theirs.push(await runCommandInFolder(one, 'Grace Hopper', at('theirs')));
  }
  const most = { wall: 'at most 1.10', cpu: 'at most 1.15', bytes: '0.97 to 1.03' };
  figures.push(...comparisonResults(`${one.name}, engine / hand-written`, ours, theirs, most));
  return ours;
};

const total = (turns: readonly MeasuredRun[]): MeasuredRun =>
  turns.reduce((sum, turn) => ({
    wall_ms: sum.wall_ms + turn.wall_ms,
    cpu_ms: sum.cpu_ms + turn.cpu_ms,
    peak_bytes: Math.max(sum.peak_bytes, turn.peak_bytes),
    bytes: sum.bytes + turn.bytes,
  }));

const benchCampaign = async (one: BenchCase): Promise<number> => {
  const cache = await openFolderCache(at('campaign'));
  const [ours, theirs]: [MeasuredRun[], MeasuredRun[]] = [[], []];
  for (const [n, name] of NAMES.entries()) {
    stop.throwIfAborted();
    if (n % 10 === 0) say(`Measuring: ${one.name}, ${n} of ${NAMES.length} …`);
    ours.push(await measureInFolder(at('ours'), async (into) => void (await renderCase(one, name, into, { cache }))));
    theirs.push(await runCommandInFolder(one, name, at('theirs')));
  }
  const most = { wall: 'at most 0.35', cpu: 'at most 0.35', bytes: '' };
  figures.push(
    ...comparisonResults(
      `${NAMES.length} names, ${one.name}, engine / hand-written`,
      [total(ours)],
      [total(theirs)],
      most,
    ),
  );

  say(`Measuring: ${one.name}, ${CORES} at a time …`);
  const limit = pLimit(CORES);
  const fresh = await openFolderCache(at('campaign-side-by-side'));
  const side_by_side = await measureInFolder(at('ours'), async (into) => {
    await Promise.all(
      NAMES.map((name, n) => limit(() => renderCase(one, name, join(into, String(n)), { cache: fresh }))),
    );
  });
  const by_hand_ms = total(theirs).wall_ms;
  const ratio = (side_by_side.wall_ms / by_hand_ms).toFixed(2);
  const seconds = `${(side_by_side.wall_ms / 1_000).toFixed(1)} s`;
  figures.push([`  the engine with ${CORES} renders at a time: wall clock`, `${ratio}  (${seconds})`, '']);
  return by_hand_ms;
};

try {
  say('Making the sources …');
  const sources = await makeSources(folder, asked('long') || asked('killed'));
  if (asked('short')) await benchCold(await shortCase(sources));
  const minutes = asked('long') ? await benchCold(await longCase(sources)) : [];
  if (asked('campaign')) {
    const campaign = await campaignCase(sources);
    const by_hand_ms = await benchCampaign(campaign);
    if (asked('stack')) {
      say(`Measuring: the same on a whole stack …`);
      const wall_ms = await campaignOnStack(campaign, NAMES, folder, stop);
      const seconds = `${(wall_ms / 1_000).toFixed(1)} s`;
      figures.push(['  on a whole stack: wall clock', `${(wall_ms / by_hand_ms).toFixed(2)}  (${seconds})`, '']);
    }
  }
  if (asked('killed')) {
    const long = await longCase(sources);
    const whole = minutes.length > 0 ? minutes : [await cold(long)];
    say(`Measuring: ${long.name}, killed after 70 % and taken up …`);
    const again = await resumeAfterKill(long, folder, folder);
    const most = { wall: 'at most 0.45', cpu: '', bytes: '1.00' };
    figures.push(...comparisonResults('killed after 70 %, taken up / from nothing', [again], whole, most));
  }
} catch (error) {
  if (!stop.aborted) throw error;
} finally {
  await rm(folder, { recursive: true, force: true });
  const table = new Table({ head: ['measured', 'figure', 'expected'], style: { head: [], border: [] } });
  for (const [measured, figure, expected] of figures) table.push([measured, figure, expected]);
  if (figures.length > 0) say(table.toString());
}
