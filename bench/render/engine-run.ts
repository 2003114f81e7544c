import { availableParallelism } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts';
import type { SegmentCache } from '../../render-workers/engine/cache/segment-cache.ts';
import { type Rendered, renderComposition } from '../../render-workers/engine/render-composition.ts';
import type { Case } from './cases.ts';

const SANDBOX = await openSandbox({ wanted: 'preferred' });

export const BUDGET_MS = 1_800_000;

/** The engine alone: `one` with this name, into `folder`. */
export const renderOne = async (
  one: Case,
  name: string,
  folder: string,
  cache: SegmentCache,
  on_progress: (share: number) => void = () => undefined,
): Promise<Rendered> => {
  const rendered = await renderComposition({
    final: one.final(name),
    assets: one.assets,
    work_dir: folder,
    ffmpeg_path: 'ffmpeg',
    ffprobe_path: 'ffprobe',
    cache,
    cores: availableParallelism(),
    on_progress: ({ frames_done, frames_total }) => on_progress(frames_done / frames_total),
    signal: new AbortController().signal,
    budget_ms: BUDGET_MS,
    sandbox: SANDBOX,
  });
  if (E.isLeft(rendered)) throw new Error(JSON.stringify(rendered.left));
  return rendered.right;
};
