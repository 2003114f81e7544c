/**
 * The second part of make bench-render: the engine and hand-written ffmpeg commands on films that are generated from a
 * seed. Both render each film in turn, from an empty cache. The SSIM of both against a lossless reference shows that
 * their pictures are equally good. All measurements run by default. `FILMS=3 … cold --seconds 3` takes about a minute.
 * SEED=<n> FILMS=<n> node bench/render/films/main.ts [cold] [campaign] [stack] [draft]
 * [--pairs 3] [--seconds 60] [--rows 6] [--at-once 1] [--commands 6]
 */
import { link, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { draftOf } from '../../../domain/composition/draft.ts';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { openPartClaims } from '../../../engine/render/part-claims.ts';
import { catchStopSignals } from '../../../stack/process/stop-signals.ts';
import { quantile } from '../../figures.ts';
import { campaignOnStack } from '../campaign-stack.ts';
import type { BenchCase } from '../cases.ts';
import { openBenchPrograms, renderCase } from '../engine-run.ts';
import { type MeasuredRun, measureInFolder, runCommandInFolder } from '../pairs.ts';
import { generateFilm } from './draw-film.ts';
import type { Film } from './film.ts';
import { filmCase } from './film-case.ts';
import { profileWork } from './profile.ts';
import { makeReference, ssimOf } from './quality.ts';
import { makeFilmSources } from './sources.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    rows: { type: 'string', default: '6' },
    'at-once': { type: 'string', default: '1' },
    commands: { type: 'string', default: '6' },
  },
});
const PAIRS = Number(values.pairs);
const MAX_S = Number(values.seconds);
const MIN_S = Math.min(10, Math.max(3, MAX_S / 2));
/** Each run uses a new seed, so that results do not depend on one set of films. */
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);
const FILMS = Number(process.env.FILMS ?? '20');
const ROWS = Number(values.rows);
const AT_ONCE = Number(values['at-once']);
/** The ffmpeg command takes equally long for each row, so a campaign runs it only for this many rows. */
const COMMANDS = Math.min(ROWS, Number(values.commands));
const NAMES = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Frances'];
const NAME = 'Grace Hopper';
/** The engine's SSIM may be this much lower than the command's. Encoders with the same settings differ by as much. */
const AS_GOOD = 0.004;
/** Profiles this many films, those with the worst CPU ratio. Other load affects CPU time less than wall clock. */
const PROFILED = 3;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { stop } = catchStopSignals();
const asked = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const folder = await mkdtemp(join(tmpdir(), 'bench-films-'));
const at = (name: string): string => join(folder, name);

type Drawn = { readonly film: Film; readonly one: BenchCase };
/** `wall` and `cpu`: the engine's time divided by the command's, over all pairs. */
type Measures = {
  readonly one: BenchCase;
  readonly wall: number;
  readonly cpu: number;
  readonly cells: readonly string[];
};
type Cache = Awaited<ReturnType<typeof openFolderCache>>;

const fresh = async <T>(work: (cache: Cache) => Promise<T>): Promise<T> => {
  const cache = await openFolderCache(at('cache'));
  try {
    return await work(cache);
  } finally {
    await rm(at('cache'), { recursive: true, force: true });
  }
};

const rendered = (one: BenchCase, name: string, cache: Cache, keep?: string): Promise<MeasuredRun> =>
  measureInFolder(at('ours'), async (into) => {
    await renderCase(one, name, into, { cache });
    if (keep !== undefined) await link(join(into, 'master.mp4'), keep);
  });

const commanded = (one: BenchCase, name: string, keep?: string): Promise<MeasuredRun> =>
  runCommandInFolder(one, name, at('theirs'), keep);

const wallOf = ({ wall_ms }: MeasuredRun): number => wall_ms;
const cpuOf = ({ cpu_ms }: MeasuredRun): number => cpu_ms;
const sum = (turns: readonly MeasuredRun[], of: (turn: MeasuredRun) => number): number =>
  turns.reduce((all, turn) => all + of(turn), 0);
const ratio = (
  ours: readonly MeasuredRun[],
  theirs: readonly MeasuredRun[],
  of: (turn: MeasuredRun) => number,
): number => sum(ours, of) / sum(theirs, of);
const seconds = (turns: readonly MeasuredRun[], renders = turns.length): string =>
  (sum(turns, wallOf) / renders / 1_000).toFixed(1);
const mib = (turns: readonly MeasuredRun[]): string =>
  (Math.max(...turns.map(({ peak_bytes }) => peak_bytes)) / 2 ** 20).toFixed(0);

/** Runs both, with `theirs` first if `n` is odd. */
const inTurn = async (n: number, ours: () => Promise<unknown>, theirs: () => Promise<unknown>): Promise<void> => {
  stop.throwIfAborted();
  if (n % 2 === 1) await theirs();
  await ours();
  if (n % 2 === 0) await theirs();
};

const measureCold = async ({ film, one }: Drawn, n: number, files: ReadonlyMap<string, string>): Promise<Measures> => {
  const [ours, theirs]: [MeasuredRun[], MeasuredRun[]] = [[], []];
  const [our_film, their_film, reference] = [at('ours.mp4'), at('theirs.mp4'), at('reference.mkv')];
  for (let pair = 0; pair < PAIRS; pair += 1)
    await inTurn(
      n + pair,
      () => fresh(async (cache) => void ours.push(await rendered(one, NAME, cache, pair === 0 ? our_film : undefined))),
      async () => theirs.push(await commanded(one, NAME, pair === 0 ? their_film : undefined)),
    );
  await makeReference(film, files, NAME, reference);
  const [our_ssim, their_ssim] = [await ssimOf(film, our_film, reference), await ssimOf(film, their_film, reference)];
  for (const file of [our_film, their_film, reference]) await rm(file);
  const less = our_ssim < their_ssim - AS_GOOD ? ' less' : '';
  const cells = [
    `${seconds(ours)} / ${seconds(theirs)}`,
    `${mib(ours)} / ${mib(theirs)}`,
    `${our_ssim.toFixed(4)} / ${their_ssim.toFixed(4)}${less}`,
  ];
  return { one, wall: ratio(ours, theirs, wallOf), cpu: ratio(ours, theirs, cpuOf), cells };
};

type Campaign = Measures & {
  /** `wall` without the first renders, which fill the cache for the others. */
  readonly further: number;
};

const ROW_NAMES = Array.from(
  { length: ROWS },
  (_, n) => `${NAMES[n % NAMES.length]} ${1 + Math.floor(n / NAMES.length)}`,
);
const namesAtOnce = (): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ROWS / AT_ONCE) }, (_, n) => ROW_NAMES.slice(n * AT_ONCE, (n + 1) * AT_ONCE));

const renderedAtOnce = (names: readonly string[], work: (name: string, into: string) => Promise<unknown>) =>
  measureInFolder(at('ours'), async (into) => {
    await Promise.all(names.map((name, n) => work(name, join(into, String(n)))));
  });

/** Whether the ffmpeg command runs beside render `n`; the commands are spread evenly over the renders. */
const isBeside = (n: number, of: number): boolean =>
  Math.floor(((n + 1) * COMMANDS) / of) > Math.floor((n * COMMANDS) / of);

/** Renders one film with each of the names, like a worker: with one cache that is empty before the first. */
const measureCampaign = ({ one }: Drawn): Promise<Campaign> =>
  fresh(async (cache) => {
    const [ours, theirs]: [MeasuredRun[], MeasuredRun[]] = [[], []];
    const warm = openBenchPrograms(await mkdtemp(at('programs-')), AT_ONCE);
    const cores = Math.max(1, Math.floor(availableParallelism() / AT_ONCE));
    const by = { cache, warm, cores, claims: openPartClaims() };
    const render = (name: string, into: string) => renderCase(one, name, into, by);
    const together = namesAtOnce();
    try {
      for (const [n, names] of together.entries())
        await inTurn(
          n,
          async () => ours.push(await renderedAtOnce(names, render)),
          // One at a time, because each command uses all cores.
          async () => {
            for (const [i, name] of names.entries())
              if (isBeside(n * AT_ONCE + i, ROWS)) theirs.push(await commanded(one, name));
          },
        );
    } finally {
      await warm.close();
    }
    const each = (turns: readonly MeasuredRun[], renders: number, of: (turn: MeasuredRun) => number): number =>
      sum(turns, of) / renders / (sum(theirs, of) / theirs.length);
    const further = each(ours.slice(1), ROWS - (together[0]?.length ?? 0), wallOf);
    const cells = [`${seconds(ours, ROWS)} / ${seconds(theirs)}`, `${mib(ours)} / ${mib(theirs)}`, further.toFixed(2)];
    return { one, wall: each(ours, ROWS, wallOf), cpu: each(ours, ROWS, cpuOf), cells, further };
  });

/**
 * Renders one film with each of the names on a whole stack: sends all POSTs at once, and measures until the last render
 * is complete.
 */
const measureStack = async ({ one }: Drawn): Promise<Measures> => {
  const theirs: MeasuredRun[] = [];
  const command = async () => {
    stop.throwIfAborted();
    theirs.push(await commanded(one, NAME));
  };
  for (let n = 0; n < Math.ceil(COMMANDS / 2); n += 1) await command();
  const wall_ms = await campaignOnStack(one, ROW_NAMES, folder, stop);
  for (let n = theirs.length; n < COMMANDS; n += 1) await command();
  const wall = wall_ms / ROWS / (sum(theirs, wallOf) / theirs.length);
  const cells = [`${(wall_ms / ROWS / 1_000).toFixed(1)} / ${seconds(theirs)}`, '', ''];
  return { one, wall, cpu: Number.NaN, cells };
};

const draftCase = (one: BenchCase): BenchCase => ({ ...one, final: (name) => draftOf(one.final(name)) });

/** Compares the draft with the full film, both by the engine and from an empty cache. */
const measureDraft = async ({ one }: Drawn, n: number): Promise<Measures> => {
  const small = draftCase(one);
  const [drafts, wholes]: [MeasuredRun[], MeasuredRun[]] = [[], []];
  const made = (what: BenchCase) => fresh((cache) => rendered(what, NAME, cache));
  for (let pair = 0; pair < PAIRS; pair += 1)
    await inTurn(
      n + pair,
      async () => drafts.push(await made(small)),
      async () => wholes.push(await made(one)),
    );
  const cells = [`${seconds(drafts)} / ${seconds(wholes)}`, `${mib(drafts)} / ${mib(wholes)}`, ''];
  return { one, wall: ratio(drafts, wholes, wallOf), cpu: ratio(drafts, wholes, cpuOf), cells };
};

const twoDigits = (figure: number): string => (Number.isNaN(figure) ? '' : figure.toFixed(2));
const wallIn = ({ wall }: Measures): number => wall;
const cpuIn = ({ cpu }: Measures): number => cpu;
const worst = (measures: readonly Measures[], count: number, of: (one: Measures) => number): readonly Measures[] =>
  measures.toSorted((a, b) => of(b) - of(a)).slice(0, count);

const show = (
  measures: readonly Measures[],
  what: string,
  each = 'the engine / the hand-written command',
  last = 'SSIM',
): void => {
  const head = [what, 'wall', 'CPU', 's', 'MiB', last];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { one, wall, cpu, cells } of measures) table.push([one.name, twoDigits(wall), twoDigits(cpu), ...cells]);
  const walls = measures.map(wallIn);
  const cpus = measures.map(cpuIn);
  table.push(['median', twoDigits(quantile(walls, 0.5)), twoDigits(quantile(cpus, 0.5)), '', '', '']);
  const [slowest, heaviest] = [worst(measures, 1, wallIn)[0], worst(measures, 1, cpuIn)[0]];
  if (slowest !== undefined) table.push([`worst wall: ${slowest.one.name}`, slowest.wall.toFixed(2), '', '', '', '']);
  if (heaviest !== undefined) table.push([`worst CPU: ${heaviest.one.name}`, '', twoDigits(heaviest.cpu), '', '', '']);
  say(`${table.toString()}\nEach: ${each}.`);
};

/** Profiles an additional render, because profiling would slow the measured ones. */
const showProfile = async (what: string, work: () => Promise<void>): Promise<void> => {
  say(`Where the time goes: ${what}`);
  const table = new Table({ head: ['at work', 'wall, s', 'CPU, s'], style: { head: [], border: [] } });
  for (const { kind, wall_ms, cpu_ms } of await profileWork(work))
    table.push([kind, (wall_ms / 1_000).toFixed(2), (cpu_ms / 1_000).toFixed(2)]);
  say(table.toString());
};

try {
  say(`SEED=${SEED} FILMS=${FILMS}, ${MIN_S} to ${MAX_S} s, ${PAIRS} pair(s) of each. Making the sources …`);
  const files = await makeFilmSources(folder, MAX_S);
  const drawn: Drawn[] = [];
  for (let n = 0; n < FILMS; n += 1) {
    const film = generateFilm(SEED, n, { least_s: MIN_S, most_s: MAX_S });
    const what = `${n} ${film.kind}, ${film.duration} s, ${film.width}x${film.height}`;
    drawn.push({ film, one: await filmCase(what, film, files) });
  }
  const tell = (measures: Measures): Measures => {
    say(`${measures.one.name}: wall ${twoDigits(measures.wall)}, CPU ${twoDigits(measures.cpu) || 'not known'}`);
    return measures;
  };
  if (asked('cold')) {
    const cold: Measures[] = [];
    for (const [n, film] of drawn.entries()) cold.push(tell(await measureCold(film, n, files)));
    show(cold, 'from an empty cache');
    for (const { one } of worst(cold, PROFILED, cpuIn))
      await showProfile(one.name, () => fresh(async (cache) => void (await rendered(one, NAME, cache))));
  }
  if (asked('draft')) {
    const drafts: Measures[] = [];
    for (const [n, film] of drawn.entries()) drafts.push(tell(await measureDraft(film, n)));
    show(drafts, 'drafts', 'the draft / the film itself');
    for (const { one } of worst(drafts, 1, wallIn))
      await showProfile(`a draft of ${one.name}`, () =>
        fresh(async (cache) => void (await rendered(draftCase(one), NAME, cache))),
      );
  }
  if (asked('stack')) {
    const stacks: Measures[] = [];
    for (const film of drawn) stacks.push(tell(await measureStack(film)));
    show(stacks, `${ROWS} names of one film on a whole stack`);
  }
  if (asked('campaign')) {
    const campaigns: Campaign[] = [];
    for (const film of drawn) {
      const campaign = await measureCampaign(film);
      tell(campaign);
      campaigns.push(campaign);
    }
    const how = AT_ONCE === 1 ? '' : `, ${AT_ONCE} at a time`;
    show(campaigns, `${ROWS} names of one film${how}`, undefined, 'wall of each further one');
    const further = quantile(
      campaigns.map((campaign) => campaign.further),
      0.5,
    );
    say(`Each further one, as in campaigns with many rows: median ${further.toFixed(2)}.`);
    for (const { one } of worst(campaigns, 1, wallIn))
      await fresh(async (cache) => {
        await rendered(one, NAMES[0] ?? '', cache);
        await showProfile(
          `the second of a campaign, ${one.name}`,
          async () => void (await rendered(one, NAMES[1] ?? '', cache)),
        );
      });
  }
} catch (error) {
  if (!stop.aborted) throw error;
} finally {
  await rm(folder, { recursive: true, force: true });
}
