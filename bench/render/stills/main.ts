/**
 * Stills of films that are generated from a seed, each at another time and with another name. Compares warm programs,
 * as in the stills service, with programs that start for each still. Then repeats the same time with another name.
 * SEED=<n> FILMS=<n> node bench/render/stills/main.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type FrameOptions, renderFrame } from '../../../engine/render-frame.ts';
import { catchStopSignals } from '../../../stack/process/stop-signals.ts';
import { millisecondsText, quantile } from '../../figures.ts';
import type { BenchCase } from '../cases.ts';
import { enginePrograms, openBenchPrograms, withLeasedProgram } from '../engine-run.ts';
import { generateFilm } from '../films/draw-film.ts';
import { filmCase } from '../films/film-case.ts';
import { makeFilmSources } from '../films/sources.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 100_000);
const FILMS = Number(process.env.FILMS ?? '10');
const MAX_S = 20;
const MIN_S = 10;
const NAMES = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Frances'];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { stop } = catchStopSignals();
const folder = await mkdtemp(join(tmpdir(), 'bench-stills-'));
const warm = openBenchPrograms(await mkdtemp(join(folder, 'programs-')), 1);

const timed = async (work: () => Promise<E.Either<unknown, unknown>>): Promise<number> => {
  stop.throwIfAborted();
  const began = performance.now();
  const made = await work();
  if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
  return performance.now() - began;
};

const still = (one: BenchCase, name: string, at_s: number, by: Partial<FrameOptions>) =>
  renderFrame({ final: one.final(name), assets: one.assets, work_dir: folder, ...enginePrograms(), ...by }, at_s);

try {
  say(`SEED=${SEED} FILMS=${FILMS}, ${NAMES.length} stills of each. Making the sources …`);
  const files = await makeFilmSources(folder, MAX_S);
  const [staying, again, started]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < FILMS; n += 1) {
    const film = generateFilm(SEED, n, { least_s: MIN_S, most_s: MAX_S });
    const one = await filmCase(`${n} ${film.kind}, ${film.width}x${film.height}`, film, files);
    const [by_staying, by_again, by_started]: [number[], number[], number[]] = [[], [], []];
    for (const [i, name] of NAMES.entries()) {
      const at_s = (film.duration * (i + 0.5)) / NAMES.length;
      const byStaying = (of: string) => timed(() => withLeasedProgram(warm, one, (by) => still(one, of, at_s, by)));
      const byStarted = () => timed(() => still(one, name, at_s, {}));
      // The first still of a film is not counted, because it includes probing the files.
      if (i === 0) await timed(() => withLeasedProgram(warm, one, (by) => still(one, name, 0, by)));
      if (i % 2 === 1) by_started.push(await byStarted());
      by_staying.push(await byStaying(name));
      by_again.push(await byStaying(`${name} again`));
      if (i % 2 === 0) by_started.push(await byStarted());
    }
    const p50 = [by_staying, by_again, by_started].map((all) => millisecondsText(quantile(all, 0.5)));
    say(`${one.name}: p50 ${p50.join(' / ')}`);
    staying.push(...by_staying);
    again.push(...by_again);
    started.push(...by_started);
  }
  for (const share of [0.5, 0.95]) {
    const [ours, same, theirs] = [quantile(staying, share), quantile(again, share), quantile(started, share)];
    const ratios = [ours, same].map((of) => (of / theirs).toFixed(2));
    say(
      `p${share * 100}: ${millisecondsText(ours)} / ${millisecondsText(same)} / ${millisecondsText(theirs)}, ${ratios.join(' / ')}`,
    );
  }
  say('Each: programs that stay / the same moment again / everything started for the still.');
} catch (error) {
  if (!stop.aborted) throw error;
} finally {
  await warm.close();
  await rm(folder, { recursive: true, force: true });
}
