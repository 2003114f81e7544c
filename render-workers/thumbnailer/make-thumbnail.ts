import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { composeFinal, type FinalComposition } from '../../domain/composition/final-composition.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { type RenderedFrame, renderFrame } from '../../engine/render-frame.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { thumbnailPath } from '../../schemas/blobs/paths.ts';
import type { AssetCache, AssetOwner } from '../local-files/asset-cache.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { withinDeadline } from '../metering/stage-deadline.ts';

export type MakeThumbnailDependencies = {
  readonly blobs: BlobStore;
  readonly assets: Pick<AssetCache, 'provide' | 'sizeOf'>;
  readonly folder: WorkFolder;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
};

export type StoredThumbnail = {
  readonly path: string;
  readonly content_type: 'image/jpeg';
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
};

/** The engine failed for a reason outside the composition, so a retry may succeed. */
export class EngineInterrupted extends Error {
  override readonly name = 'EngineInterrupted';
}

const BUDGET_MS = 120_000;
const DOWNLOAD_MS = 120_000;
const UPLOAD_MS = 60_000;
/** Longer side in pixels: enough for a list on a high-density screen. */
const LONGEST_SIDE = 640;

const posterAt = ({ poster_frame, composition: { fps } }: FinalComposition): number =>
  (poster_frame * fps.den) / fps.num;

const draw = async (
  final: FinalComposition,
  owner: AssetOwner,
  own: string,
  parts: MakeThumbnailDependencies,
  signal: AbortSignal,
): Promise<E.Either<string, RenderedFrame>> => {
  const { ffmpeg_path, ffprobe_path, sandbox, clock } = parts;
  const assets = await withinDeadline('download', { limit_ms: DOWNLOAD_MS, signal, clock }, (until) =>
    parts.assets.provide(owner, final.assets, own, until),
  );
  const shape = { format: 'jpeg', longest_side: LONGEST_SIDE } as const;
  const limits = { signal, sandbox, budget_ms: BUDGET_MS };
  const options = { final, assets, work_dir: own, ffmpeg_path, ffprobe_path, ...limits, ...shape };
  const still = await renderFrame(options, posterAt(final));
  if (E.isRight(still)) return still;
  const fault = still.left;
  if (fault.tag === 'composition') return E.left(fault.message);
  if (fault.tag === 'over_budget') return E.left(`it ${fault.message}`);
  throw new EngineInterrupted('message' in fault ? fault.message : fault.tag);
};

/**
 * Renders the frame at `poster_time`, without values. Left: why it fails permanently. Rejects with `BlobFault`,
 * `EngineInterrupted` or `DeadlinePassed`, and with the reason of `signal`.
 * @param owner names the render that caused the thumbnail
 */
export const makeThumbnail = async (
  owner: AssetOwner,
  version: number,
  document: ProjectDocument,
  parts: MakeThumbnailDependencies,
  signal: AbortSignal,
): Promise<E.Either<string, StoredThumbnail>> => {
  const final = composeFinal(document, null, {});
  if (E.isLeft(final)) return E.left(final.left.message);
  const own = await parts.folder.render(owner.project_id);
  try {
    const drawn = await draw(final.right, owner, own, parts, signal);
    if (E.isLeft(drawn)) return drawn;
    const { bytes, width, height } = drawn.right;
    const file = join(own, 'thumbnail.jpg');
    await writeFile(file, bytes);
    const path = thumbnailPath(owner.project_id, version, mintUlid());
    const { sha256 } = await withinDeadline('upload', { limit_ms: UPLOAD_MS, signal, clock: parts.clock }, (until) =>
      parts.blobs.upload(path, file, { content_type: 'image/jpeg', signal: until }),
    );
    return E.right({ path, content_type: 'image/jpeg', sha256, width, height });
  } finally {
    // Retries, because abandoned work may still write into the folder.
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
};
