/**
 * Measures each quality of each codec on films that are generated from a seed. The figures are CPU time of the
 * encoder, size, and PSNR against a lossless version. The output is the table of docs/composition.md.
 * SEED=<n> FILMS=<n> node bench/encodes.ts [h264] [h265] [vp9] [av1]          all codecs by default
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { execa } from 'execa';
import { CRF, QUALITIES, type Quality, VIDEO_CODECS, type VideoCodec } from '../domain/composition/video-codecs.ts';
import { encoderOptions } from '../engine/encode/encoder-options.ts';
import { quantile } from './figures.ts';
import { generateFilm } from './render/films/draw-film.ts';
import { type Film, FPS } from './render/films/film.ts';
import { makeReference } from './render/films/quality.ts';
import { makeFilmSources } from './render/films/sources.ts';

/** Each run uses a new seed, so that results do not depend on one set of films. */
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);
const FILMS = Number(process.env.FILMS ?? '10');
const LENGTH = { least_s: 3, most_s: 5 };

type Measured = { readonly cpu_s: number; readonly kbits: number; readonly psnr_db: number };

const ffmpeg = async (...args: readonly string[]): Promise<string> =>
  (await execa('ffmpeg', ['-v', 'info', '-nostats', '-nostdin', '-y', ...args])).stderr;

const cpuOf = async (...args: readonly string[]): Promise<number> =>
  Array.from((await ffmpeg('-benchmark', ...args)).matchAll(/[us]time=([\d.]+)s/g)).reduce(
    (sum, [, seconds]) => sum + Number(seconds),
    0,
  );

const encoded = async (
  { width, height, duration }: Film,
  reference: { readonly file: string; readonly read_s: number },
  how: { readonly codec: VideoCodec; readonly quality: Quality },
  file: string,
): Promise<Measured> => {
  const options = encoderOptions({ ...how, crf: CRF[how.codec][how.quality], width, height }, { num: FPS, den: 1 });
  const made_s = await cpuOf('-i', reference.file, '-an', ...options, file);
  const compared = await ffmpeg('-i', file, '-i', reference.file, '-filter_complex', 'psnr', '-f', 'null', '-');
  return {
    cpu_s: (made_s - reference.read_s) / duration,
    kbits: ((await stat(file)).size * 8) / 1000 / duration,
    psnr_db: Number(/average:([\d.]+)/.exec(compared)?.[1] ?? Number.NaN),
  };
};

const folder = await mkdtemp(join(tmpdir(), 'bench-encodes-'));
try {
  const asked = process.argv.slice(2);
  const codecs = VIDEO_CODECS.filter((codec) => asked.length === 0 || asked.includes(codec));
  const files = await makeFilmSources(folder, LENGTH.most_s);
  const encodes = codecs.flatMap((codec) =>
    QUALITIES.map((quality) => ({ codec, quality, measured: [] as Measured[] })),
  );
  for (let n = 0; n < FILMS; n += 1) {
    const film = generateFilm(SEED, n, LENGTH);
    const lossless = join(folder, 'reference.mp4');
    await makeReference(film, files, 'Grace Hopper', lossless, 'all');
    const reference = { file: lossless, read_s: await cpuOf('-i', lossless, '-f', 'null', '-') };
    for (const encode of encodes)
      encode.measured.push(await encoded(film, reference, encode, join(folder, 'film.mp4')));
    process.stdout.write(`${n}: ${film.kind}, ${film.width}x${film.height}, ${film.duration} s\n`);
  }
  const table = new Table({ head: ['codec', 'quality', 'crf', 'CPU s per s', 'kbit/s', 'PSNR dB'] });
  for (const { codec, quality, measured } of encodes) {
    const of = (member: keyof Measured, digits: number): string =>
      quantile(
        measured.map((one) => one[member]),
        0.5,
      ).toFixed(digits);
    table.push([codec, quality, CRF[codec][quality], of('cpu_s', 2), of('kbits', 0), of('psnr_db', 1)]);
  }
  process.stdout.write(`seed ${SEED}, ${FILMS} films, medians\n${table.toString()}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
