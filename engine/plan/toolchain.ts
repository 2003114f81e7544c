import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { PIXELS_VERSION } from '../../domain/composition/engine-version.ts';
import { CRF, type VideoCodec } from '../../domain/composition/video-codecs.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import { encoderOptions } from '../encode/encoder-options.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { VERSION_BOUNDS } from '../process/process-bounds.ts';
import { runProcess } from '../process/run-process.ts';

/** Builds of all software that decides pixels or bytes. */
export type Toolchain = {
  /** The engine's version, ffmpeg, libvips, the text libraries and ICU, whose word lists break lines. */
  readonly drawing: string;
  readonly encoders: Readonly<Record<string, string>>;
};

/** Increment when a change of filter graphs or drawing changes the pixels or bytes of parts. */
export const GRAPH_VERSION = 7;

const QUERY_MS = 30_000;

type Answer = E.Either<EngineFault, string>;
/** The keys are ffmpeg's arguments. Builds do not change while a process runs. */
const answers = new Map<string, Promise<Answer>>();

/** All renders share one query, so no render can cancel it. Failures are not cached. */
const hashOf = (ffmpeg_path: string, args: readonly string[], sandbox: Sandbox): Promise<Answer> => {
  const key = [ffmpeg_path, ...args].join('\0');
  const cached = answers.get(key);
  if (cached !== undefined) return cached;
  const query = async (): Promise<Answer> => {
    const limits = { signal: new AbortController().signal, budget_ms: QUERY_MS, sandbox };
    const run = await runProcess({ program: ffmpeg_path, args, reads: [], bounds: VERSION_BOUNDS }, limits);
    if (E.isRight(run) && run.right.exit_code === 0)
      return E.right(createHash('sha256').update(run.right.stdout).digest('hex'));
    answers.delete(key);
    return E.isLeft(run) ? run : E.left(infrastructureFault(`${ffmpeg_path} does not work: ${run.right.stderr}`));
  };
  const answer = query();
  answers.set(key, answer);
  return answer;
};

const ONE_FRAME = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=25', '-frames:v', '1'];

/** An encoder does not report its build. The hash of one encoded frame identifies it. */
const encoderBuild = (codec: VideoCodec, ffmpeg_path: string, sandbox: Sandbox): Promise<Answer> => {
  const variant = { codec, quality: 'standard', crf: CRF[codec].standard, width: 64, height: 64 } as const;
  const options = encoderOptions(variant, { num: 25, den: 1 }, {});
  return hashOf(ffmpeg_path, [...ONE_FRAME, ...options, '-f', 'hash', '-'], sandbox);
};

export const toolchainOf = async (
  outputs: readonly { readonly codec: VideoCodec }[],
  ffmpeg_path: string,
  sandbox: Sandbox,
): Promise<E.Either<EngineFault, Toolchain>> => {
  const codecs = [...new Set(outputs.map(({ codec }) => codec))];
  const queries = [
    hashOf(ffmpeg_path, ['-version'], sandbox),
    ...codecs.map((codec) => encoderBuild(codec, ffmpeg_path, sandbox)),
  ];
  const hashes: string[] = [];
  for (const answer of await Promise.all(queries)) {
    if (E.isLeft(answer)) return answer;
    hashes.push(answer.right);
  }
  const [ffmpeg, ...builds] = hashes;
  const rules = { engine: PIXELS_VERSION, graph: GRAPH_VERSION };
  return E.right({
    drawing: cacheKeyOf({ ...rules, ffmpeg, libraries: { ...sharp.versions, icu: process.versions.icu } }),
    encoders: Object.fromEntries(codecs.map((codec, index) => [codec, builds[index] ?? ''])),
  });
};
