import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { type EngineFault, refusalOf } from '../../engine/process/engine-fault.ts';
import { diskFault } from '../../engine/process/process-bounds.ts';
import type { WarmPrograms } from '../../engine/raster/warm-programs.ts';
import { type RenderedFrame, renderFrame, type StillFormat } from '../../engine/render-frame.ts';
import { BlobFault, isBlobStoreUnavailable, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { StillFault } from '../../schemas/http/still.ts';
import { type AssetCache, type AssetPlaces, pathOfAsset } from '../local-files/asset-cache.ts';
import { fontSetKey, missingAssets, provideMissingAssets } from '../local-files/leased-files.ts';
import { DeadlinePassed, withinDeadline } from '../metering/stage-deadline.ts';

export type DrawStillDependencies = {
  readonly assets: Pick<AssetCache, 'provide' | 'sizeOf'>;
  readonly warm: WarmPrograms;
  readonly work_dir: string;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
};

export type Drawing = {
  readonly account_id: string;
  readonly final: FinalComposition;
  readonly places: AssetPlaces;
  readonly at_s: number;
  readonly format: StillFormat;
  /** In pixels; null for that of the composition. */
  readonly width: number | null;
};

const BUDGET_MS = 60_000;
const DOWNLOAD_MS = 60_000;

const provide = async (
  { places, final }: Drawing,
  files: string,
  { assets, clock }: DrawStillDependencies,
  signal: AbortSignal,
): Promise<E.Either<EngineFault, ReadonlyMap<string, string>>> => {
  const missing = await missingAssets(files, final.assets);
  if (missing.length > 0) {
    const tooFull = await diskFault(files, await assets.sizeOf(places, missing, signal));
    if (tooFull !== null) return E.left(tooFull);
  }
  const provided = await withinDeadline('download', { limit_ms: DOWNLOAD_MS, signal, clock }, (until) =>
    provideMissingAssets(assets, places, final.assets, files, until, missing),
  );
  return E.right(provided);
};

const stillFault = (fault: EngineFault): StillFault => {
  switch (fault.tag) {
    case 'composition':
      return refusalOf(fault);
    case 'cancelled':
      return { tag: 'engine_failed', message: 'the stills service is stopping' };
    case 'infrastructure':
    case 'decoder_died':
    case 'over_budget':
      return { tag: 'engine_failed', message: fault.message };
  }
};

/** The asset whose blob is missing or damaged, as a permanent fault. */
const lostAsset = (cause: unknown, { places, final }: Drawing): StillFault | null => {
  if (!(cause instanceof BlobFault) || isUnavailableOrRefused(cause)) return null;
  const lost = final.assets.find((asset) => pathOfAsset(places, asset) === cause.path);
  return lost === undefined ? null : { tag: 'asset_lost', asset_id: lost.id };
};

const expected = (cause: unknown): StillFault | null =>
  isBlobStoreUnavailable(cause) || cause instanceof DeadlinePassed || isSystemError(cause)
    ? { tag: 'engine_failed', message: messageOf(cause) }
    : null;

/** The longest side of a still with this width. */
const longestSide = (width: number | null, { composition }: FinalComposition): number | undefined =>
  width === null
    ? undefined
    : Math.round((width * Math.max(composition.width, composition.height)) / composition.width);

/** The raster program serves only this account. Left: why there is no still. Rejects on unexpected faults. */
export const drawStill = async (
  drawing: Drawing,
  parts: DrawStillDependencies,
  signal: AbortSignal,
): Promise<E.Either<StillFault, RenderedFrame>> => {
  const { account_id, final, format, at_s } = drawing;
  const longest_side = longestSide(drawing.width, final);
  const { ffmpeg_path, ffprobe_path, sandbox, work_dir } = parts;
  try {
    const lease = await parts.warm.lease(account_id, fontSetKey(final.assets));
    let well = false;
    try {
      const assets = await provide(drawing, lease.files, parts, signal);
      if (E.isLeft(assets)) return E.left(stillFault(assets.left));
      const { open: openRasters, frames, rasters } = lease;
      const options = { final, assets: assets.right, format, owner: account_id, openRasters, frames, rasters };
      const programs = { ffmpeg_path, ffprobe_path, sandbox, signal, budget_ms: BUDGET_MS, work_dir };
      const size = longest_side === undefined ? {} : { longest_side };
      const drawn = await renderFrame({ ...options, ...programs, ...size }, at_s);
      well = E.isRight(drawn);
      return E.mapLeft(stillFault)(drawn);
    } finally {
      await lease.release(well);
    }
  } catch (cause) {
    const fault = lostAsset(cause, drawing) ?? expected(cause);
    if (fault === null) throw cause;
    return E.left(fault);
  }
};
