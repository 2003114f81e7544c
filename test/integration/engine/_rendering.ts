import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { NO_CACHE } from '../../../engine/cache/segment-cache.ts';
import { type RenderOptions, type RenderResult, renderComposition } from '../../../engine/render-composition.ts';
import { limitsOf } from '../../helpers/sandbox.ts';

const withHashes = (final: FinalComposition, files: Readonly<Record<string, string>>): FinalComposition => ({
  ...final,
  assets: final.assets.map((asset) => {
    const file = files[asset.id];
    return file === undefined
      ? asset
      : { ...asset, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
  }),
});

export const optionsOf = (
  final: FinalComposition,
  work_dir: string,
  assets: Readonly<Record<string, string>> = {},
): RenderOptions => ({
  final: withHashes(final, assets),
  assets: new Map(Object.entries(assets)),
  work_dir,
  ffmpeg_path: process.env.FFMPEG_PATH ?? 'ffmpeg',
  ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe',
  cache: NO_CACHE,
  cores: 2,
  on_progress: () => {},
  ...limitsOf(),
});

export const rendered = async (options: RenderOptions): Promise<RenderResult & { readonly master: string }> => {
  const result = await renderComposition(options);
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  const master = result.right.outputs.find(({ variant }) => variant === 'master')?.file ?? '';
  return { ...result.right, master };
};
