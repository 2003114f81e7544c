import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { Preview } from '../../domain/composition/project-shape.ts';
import type { CacheWriter } from '../cache/cache-writer.ts';
import { fetchOrMakeFile } from '../cache/cached-file.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import { joinParts } from '../encode/join-parts.ts';
import { extractPoster } from '../encode/poster.ts';
import { makePreview, type PreviewShape, previewShape } from '../encode/preview.ts';
import { verifyOutput } from '../encode/verify-output.ts';
import { isCompleteJpeg, isCompleteWebp } from '../encode/whole-image.ts';
import type { Segment } from '../plan/render-plan.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { singleFileBounds } from '../process/process-bounds.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import type { PartFiles } from './cached-parts.ts';

export type FinishContext = {
  readonly scene: Scene;
  readonly segments: readonly Segment[];
  readonly parts: PartFiles;
  readonly folder: string;
  readonly ffmpeg_path: string;
  readonly cache: SegmentCache;
  readonly cacheWriter: CacheWriter;
};

type Result<A> = Promise<E.Either<EngineFault, A>>;

const MASTER = 'master';

const bytesOf = async (files: readonly string[]): Promise<number> => {
  let sum = 0;
  for (const file of files) sum += (await stat(file)).size;
  return sum;
};

export const finishOutput = async (
  output: FinalVariant,
  sound: string,
  { scene, segments, parts, folder, ffmpeg_path }: FinishContext,
  limits: ProcessLimits,
): Result<string> => {
  const { fps, frames, samples } = scene;
  const { name, width, height, codec } = output;
  // A folder for each output: users name outputs, and a name must not collide with the engine's.
  const own = join(folder, `output-${name}`);
  await mkdir(own);
  const file = join(own, `${name}.mp4`);
  const inOrder = segments.map(({ keys, from, until }) => ({
    file: parts.get(keys[name] ?? '') ?? '',
    frames: until - from,
  }));
  const list = join(own, `${name}.parts`);
  const bounds = singleFileBounds(await bytesOf([sound, ...inOrder.map((part) => part.file)]));
  const joining = { parts: inOrder, sound, codec, fps, list, file };
  const joined = await joinParts(joining, ffmpeg_path, limits, bounds);
  if (E.isLeft(joined)) return joined;
  const verified = await verifyOutput(file, { width, height, codec, frames, fps, samples });
  return E.isLeft(verified) ? verified : E.right(file);
};

/** `frame` is the poster frame's number within this part of the master. */
export const findPosterPart = (
  scene: Scene,
  segments: readonly Segment[],
): { readonly key: string; readonly frame: number } => {
  const at = scene.poster_frame;
  const segment = segments.find(({ from, until }) => from <= at && at < until);
  return { key: segment?.keys[MASTER] ?? '', frame: at - (segment?.from ?? 0) };
};

export const finishPoster = async (
  { scene, segments, parts, folder, ffmpeg_path, cache, cacheWriter }: FinishContext,
  limits: ProcessLimits,
): Result<string> => {
  const part = findPosterPart(scene, segments);
  const own = join(folder, 'poster');
  await mkdir(own);
  const poster = join(own, 'poster.jpg');
  const key = cacheKeyOf({ poster_of: part.key, poster_frame: part.frame });
  const files = { master: parts.get(part.key) ?? '', poster };
  const poster_position = { fps: scene.fps, poster_frame: part.frame };
  const make = () => extractPoster(poster_position, files, ffmpeg_path, limits, singleFileBounds(0));
  return await fetchOrMakeFile({ key, file: poster, isWhole: isCompleteJpeg, make, cache, cacheWriter }, limits);
};

/** The preview's cache key is made from the keys of the parts that it shows. */
export const finishPreview = async (
  preview: Preview,
  master: string,
  { scene, segments, folder, ffmpeg_path, cache, cacheWriter }: FinishContext,
  limits: ProcessLimits,
): Result<PreviewShape & { readonly file: string }> => {
  const shape = previewShape(scene, preview);
  const shown = segments.filter(({ from, until }) => from < shape.from + shape.frames && until > shape.from);
  const of_parts = shown.map(({ from, keys }) => [from - shape.from, keys[MASTER]]);
  const key = cacheKeyOf({ preview_of: of_parts, preview });
  const own = join(folder, 'preview');
  await mkdir(own);
  const file = join(own, 'preview.webp');
  const make = () => makePreview(scene, preview, { master, preview: file }, ffmpeg_path, limits, singleFileBounds(0));
  const result = await fetchOrMakeFile({ key, file, isWhole: isCompleteWebp, make, cache, cacheWriter }, limits);
  return E.isLeft(result) ? result : E.right({ ...shape, file });
};
