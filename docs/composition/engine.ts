import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { ENGINE_VERSION } from '../../domain/composition/engine-version.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { composeFinal, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../domain/composition/project-document.ts';
import { NO_CACHE } from '../../engine/cache/segment-cache.ts';
import { renderComposition } from '../../engine/render-composition.ts';
import { renderFrame } from '../../engine/render-frame.ts';
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts';
import type { LayerJson } from './picture.ts';

export type Assets = ReadonlyMap<string, { readonly kind: 'image' | 'video' | 'audio'; readonly file: string }>;

const demoFile = (name: string): string =>
  fileURLToPath(new URL(`../../examples/demo/assets/${name}`, import.meta.url));

export const DEMO_ASSETS: Assets = new Map([
  ['mountains', { kind: 'video', file: demoFile('mountains.mp4') }],
  ['logo-fjell', { kind: 'image', file: demoFile('logo-fjell.png') }],
  ['logo-ember', { kind: 'image', file: demoFile('logo-ember.png') }],
  ['music', { kind: 'audio', file: demoFile('music.m4a') }],
]);

export type CompositionParts = {
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  /** Frames per second; ten by default. */
  readonly fps?: number;
  readonly background: string;
  readonly layers: readonly LayerJson[];
};

const composeDocument = (document: ProjectDocument): FinalComposition => {
  const final = composeFinal(document, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

const finalOf = (parts: CompositionParts, assets: Assets): FinalComposition => {
  const stored = { sha256: 'a'.repeat(64), size_bytes: 1, content_type: 'application/octet-stream', file_name: 'file' };
  const decoded = decodeProjectDocument({
    name: 'Picture',
    engine: ENGINE_VERSION,
    main_composition_id: 'comp_picture',
    compositions: [{ id: 'comp_picture', fps: 10, ...parts }],
    assets: [...assets].map(([id, { kind }]) => ({ id, kind, ...stored })),
  });
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  return composeDocument(decoded.right);
};

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';

const SANDBOX = await openSandbox({ wanted: 'preferred' });

const engineOptions = (final: FinalComposition, files: ReadonlyMap<string, string>, work_dir: string) => ({
  ...{ final, assets: files, work_dir },
  ffmpeg_path: FFMPEG,
  ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe',
  signal: new AbortController().signal,
  budget_ms: 600_000,
  sandbox: SANDBOX,
});

const optionsOf = (parts: CompositionParts, assets: Assets, work_dir: string) =>
  engineOptions(finalOf(parts, assets), new Map([...assets].map(([id, { file }]) => [id, file])), work_dir);

/** A black video with noise of constant loudness. Returns its path. */
export const writeNoiseClip = async (file: string, seed: number): Promise<string> => {
  const sources = ['color=s=64x36:r=10:d=4', `anoisesrc=amplitude=0.7:color=white:seed=${seed}:d=4`];
  await execa(FFMPEG, ['-v', 'error', '-y', ...sources.flatMap((source) => ['-f', 'lavfi', '-i', source]), file]);
  return file;
};

export const renderStill = async (
  parts: CompositionParts,
  assets: Assets,
  work_dir: string,
  at_s: number,
): Promise<Buffer> => {
  await mkdir(work_dir, { recursive: true });
  const rendered = await renderFrame(optionsOf(parts, assets, work_dir), at_s);
  if (E.isLeft(rendered)) throw new Error(JSON.stringify(rendered.left));
  return rendered.right.bytes;
};

/** @param files paths by the id of the asset */
export const renderFinalFrame = async (
  document: ProjectDocument,
  files: ReadonlyMap<string, string>,
  work_dir: string,
  at_s: number,
): Promise<Buffer> => {
  const rendered = await renderFrame(engineOptions(composeDocument(document), files, work_dir), at_s);
  if (E.isLeft(rendered)) throw new Error(JSON.stringify(rendered.left));
  return rendered.right.bytes;
};

export const renderFilm = async (parts: CompositionParts, assets: Assets, work_dir: string): Promise<string> => {
  await mkdir(work_dir, { recursive: true });
  const options = { ...optionsOf(parts, assets, work_dir), cache: NO_CACHE, cores: 1, on_progress: () => {} };
  const rendered = await renderComposition(options);
  if (E.isLeft(rendered)) throw new Error(JSON.stringify(rendered.left));
  return rendered.right.outputs[0]?.file ?? '';
};

/**
 * Converts a film to an animated WebP that repeats without end. Each frame is encoded separately, because
 * `libwebp_anim` leaves traces of the previous frame.
 */
export const convertToAnimatedWebp = async (film: string, file: string): Promise<void> => {
  const options = ['-c:v', 'libwebp', '-loop', '0', '-q:v', '50', '-compression_level', '6'];
  await execa(FFMPEG, ['-v', 'error', '-y', '-i', film, '-an', ...options, file]);
};

/** Draws the loudness of a film over time, as PNG. */
export const drawLoudness = async (file: string, width: number, height: number, color: string): Promise<Buffer> => {
  const filter = `[0:a]showwavespic=s=${width}x${height}:colors=${color}:split_channels=0:scale=lin[wave]`;
  const { stdout } = await execa(
    FFMPEG,
    [
      '-loglevel',
      'error',
      '-i',
      file,
      '-filter_complex',
      filter,
      '-map',
      '[wave]',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      '-',
    ],
    { encoding: 'buffer' },
  );
  return Buffer.from(stdout);
};
