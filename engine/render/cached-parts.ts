import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { SegmentCache } from '../cache/segment-cache.ts';
import { type ExpectedVideo, partFault } from '../encode/verify-output.ts';
import type { Segment } from '../plan/render-plan.ts';
import type { Scene } from '../scene/scene.ts';

const MAX_FETCHES = 8;

/** The keys are the parts' cache keys. */
export type PartFiles = ReadonlyMap<string, string>;

export const partKeys = ({ keys }: Segment): readonly string[] => Object.values(keys);

export const hasAllParts =
  (parts: { readonly has: (key: string) => boolean }) =>
  (segment: Segment): boolean =>
    partKeys(segment).every((key) => parts.has(key));

/** Copies cached parts into the folder, except those in `present`. An invalid part counts as missing. */
export const fetchCached = async (
  scene: Scene,
  segments: readonly Segment[],
  present: PartFiles,
  cache: SegmentCache,
  folder: string,
  signal: AbortSignal,
): Promise<PartFiles> => {
  const found = new Map<string, string>();
  const expected_parts = new Map(
    segments.flatMap(({ keys, from, until }) =>
      scene.outputs.map(({ name, width, height }): [string, ExpectedVideo] => [
        keys[name] ?? '',
        { width, height, frames: until - from, fps: scene.fps },
      ]),
    ),
  );
  const limit = pLimit(MAX_FETCHES);
  const fetch_folder = join(folder, 'fetched');
  await mkdir(fetch_folder, { recursive: true });
  const fetchOne = async ([key, expected]: readonly [string, ExpectedVideo]): Promise<void> => {
    if (signal.aborted) return;
    const file = join(fetch_folder, `${key}.mp4`);
    if (!(await cache.fetch(key, file, signal))) return;
    if ((await partFault(file, expected)) === null) found.set(key, file);
    else await rm(file, { force: true });
  };
  const missing = [...expected_parts].filter(([key]) => !present.has(key));
  await Promise.all(missing.map((part) => limit(fetchOne, part)));
  return found;
};
