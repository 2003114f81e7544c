import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { probeAll } from './check-media.ts';
import { compositionFault, type EngineFault, surroundingsFault } from './engine-fault.ts';
import { ffmpegArguments, filterGraph, posterArguments, type RenderFiles } from './ffmpeg-arguments.ts';
import { writeFontsConf } from './fonts.ts';
import { plan } from './plan.ts';
import { type ProcessLimits, runProcess } from './process.ts';
import type { RenderPlan } from './render-plan.ts';
import { type DrawnStill, StillsAnswer } from './stills/still.ts';
import { verifyOutput } from './verify-output.ts';

export type RenderedOutput = {
  /** `master`, or the name of a smaller encode. */
  readonly variant: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly duration_ms: number;
  readonly content_type: 'video/mp4';
};

export type Rendered = {
  /** Wall clock of the one encoding run. */
  readonly encoder_ms: number;
  readonly outputs: readonly RenderedOutput[];
  readonly poster: {
    readonly file: string;
    readonly width: number;
    readonly height: number;
    readonly content_type: 'image/jpeg';
  };
};

export type RenderOptions = {
  readonly final: FinalComposition;
  /** Paths of the assets' files by asset id. */
  readonly assets: ReadonlyMap<string, string>;
  /** An existing folder: the outputs are left in it, all else is removed. */
  readonly work_dir: string;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly on_progress: (progress: { readonly frames_done: number; readonly frames_total: number }) => void;
  readonly signal: AbortSignal;
  /** Wall clock for everything; past it the processes are killed. */
  readonly budget_ms: number;
};

const STILLS_PROGRAM = fileURLToPath(new URL('./stills/main.ts', import.meta.url));
/** More than this of address space in one piece is refused to ffmpeg. */
const MAX_ALLOCATION_BYTES = 2 ** 30;

const drawStills = async (
  planned: RenderPlan,
  assets: ReadonlyMap<string, string>,
  folder: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, DrawnStill>>> => {
  const input = JSON.stringify({ stills: planned.stills, assets: Object.fromEntries(assets), folder });
  const env = { FONTCONFIG_FILE: await writeFontsConf(folder) };
  const run = await runProcess({ program: process.execPath, args: [STILLS_PROGRAM], input, env }, limits);
  if (E.isLeft(run)) return run;
  const answer = run.right.exit_code === 0 ? StillsAnswer.decode(JSON.parse(run.right.stdout)) : null;
  if (answer === null || E.isLeft(answer))
    return E.left(surroundingsFault(`the drawing process failed: ${lastLine(run.right.stderr)}`));
  if (answer.right.tag === 'composition')
    return E.left(compositionFault(answer.right.code, answer.right.message, answer.right.field));
  return E.right(new Map(answer.right.stills.map((still) => [still.id, still])));
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const encodingFault = (stderr: string): EngineFault =>
  /Invalid data found|moov atom not found|Format not on whitelist|Error while decoding stream/.test(stderr)
    ? compositionFault('unreadable_media', 'a video or audio file is damaged and cannot be read to its end')
    : surroundingsFault(`ffmpeg failed: ${lastLine(stderr)}`);

const encode = async (
  planned: RenderPlan,
  files: RenderFiles,
  options: RenderOptions,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  await writeFile(files.graph, filterGraph(planned, files.stills));
  const on_line = (line: string): void => {
    const frame = /^frame=\s*(\d+)/.exec(line)?.[1];
    if (frame !== undefined)
      options.on_progress({ frames_done: Math.min(Number(frame), planned.frames), frames_total: planned.frames });
  };
  const args = ['-max_alloc', String(MAX_ALLOCATION_BYTES), ...ffmpegArguments(planned, files)];
  const run = await runProcess({ program: options.ffmpeg_path, args, on_line }, limits);
  if (E.isLeft(run)) return run;
  return run.right.exit_code === 0 ? E.right(undefined) : E.left(encodingFault(run.right.stderr));
};

const renderWithin = async (options: RenderOptions, folder: string): Promise<E.Either<EngineFault, Rendered>> => {
  const { final, assets, work_dir, ffprobe_path, signal } = options;
  const deadline = performance.now() + options.budget_ms;
  const limits = (): ProcessLimits => ({ signal, budget_ms: deadline - performance.now() });
  const facts = await probeAll(final, assets, ffprobe_path, limits());
  if (E.isLeft(facts)) return facts;
  const planned = plan(final, facts.right);
  if (E.isLeft(planned)) return planned;
  const { frames, fps, outputs, width, height } = planned.right;
  options.on_progress({ frames_done: 0, frames_total: frames });
  const stills = await drawStills(planned.right, assets, folder, limits());
  if (E.isLeft(stills)) return stills;
  const files: RenderFiles = {
    assets,
    stills: stills.right,
    outputs: new Map(outputs.map(({ name }) => [name, join(folder, `${name}.mp4`)])),
    graph: join(folder, 'graph.txt'),
  };
  const began_at = performance.now();
  const encoded = await encode(planned.right, files, options, limits());
  if (E.isLeft(encoded)) return encoded;
  const encoder_ms = Math.round(performance.now() - began_at);

  const poster = join(folder, 'poster.jpg');
  const args = posterArguments(planned.right, files.outputs.get('master') ?? '', poster);
  const taken = await runProcess({ program: options.ffmpeg_path, args }, limits());
  if (E.isLeft(taken)) return taken;
  if (taken.right.exit_code !== 0) return E.left(encodingFault(taken.right.stderr));

  const rendered: RenderedOutput[] = [];
  for (const output of outputs) {
    const made = files.outputs.get(output.name) ?? '';
    const verified = await verifyOutput(made, { ...output, frames, fps }, ffprobe_path, limits());
    if (E.isLeft(verified)) return verified;
    const file = join(work_dir, `${output.name}.mp4`);
    await rename(made, file);
    const duration_ms = Math.round((frames * fps.den * 1000) / fps.num);
    const size = { width: output.width, height: output.height };
    rendered.push({ variant: output.name, file, ...size, frames, duration_ms, content_type: 'video/mp4' });
  }
  const poster_file = join(work_dir, 'poster.jpg');
  await rename(poster, poster_file);
  options.on_progress({ frames_done: frames, frames_total: frames });
  return E.right({
    encoder_ms,
    outputs: rendered,
    poster: { file: poster_file, width, height, content_type: 'image/jpeg' },
  });
};

/**
 * Renders a final composition: `<variant>.mp4` for each variant and `poster.jpg`, in `work_dir`. Everything else it wrote
 * is gone when it returns, and so is every process it started, also after a fault, an abort or a spent budget.
 */
export const renderComposition = async (options: RenderOptions): Promise<E.Either<EngineFault, Rendered>> => {
  let folder: string | null = null;
  try {
    await mkdir(options.work_dir, { recursive: true });
    folder = await mkdtemp(join(resolve(options.work_dir), 'render-'));
    return await renderWithin(options, folder);
  } catch (cause) {
    return E.left(surroundingsFault(cause instanceof Error ? cause.message : String(cause)));
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
};
