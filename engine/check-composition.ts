import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../domain/composition/final-composition.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import { probeMedia } from './media/cached-media.ts';
import { type Inspector, withFullDecoding } from './media/inspection.ts';
import type { EngineFault } from './process/engine-fault.ts';
import { remainingLimits } from './process/run-process.ts';
import { withStageLimit } from './process/stage-limit.ts';
import { openRasterProcess } from './raster/raster-process.ts';
import { composeScene } from './scene/compose-scene.ts';
import { sourceEnd } from './scene/timing.ts';

const MAX_PROBES = 4;
/** Limit for probing all files together. */
const PROBING_MS = 60_000;

export type CheckOptions = {
  readonly sandbox: Sandbox;
  readonly ffprobe_path?: string;
  readonly owner?: string;
  readonly signal?: AbortSignal;
  readonly on_cpu?: (cpu_ms: number) => void;
};

/** Paths of the pictures from URLs. Pictures of a project are decoded when they are imported, but these are not. */
const fetchedPictures = ({ assets }: FinalComposition, paths: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set(assets.flatMap(({ id, kind, of_render }) => (kind === 'image' && of_render ? (paths.get(id) ?? []) : [])));

/** The ends of videos and sounds, in their own seconds, by asset id. Writes nothing. */
export const mediaLengths = async (
  assets: FinalComposition['assets'],
  files: ReadonlyMap<string, string>,
  { ffprobe_path = 'ffprobe', owner, signal = new AbortController().signal, ...options }: CheckOptions,
): Promise<E.Either<EngineFault, ReadonlyMap<string, number>>> => {
  const limits = remainingLimits({ ...options, signal, budget_ms: PROBING_MS });
  const inspector = openRasterProcess({ assets: files, families: new Map(), folder: null, decodes: false }, limits);
  try {
    const probing = { stage: 'probing', limit_ms: PROBING_MS };
    const properties = await withStageLimit(probing, limits(), (stage_limits) =>
      probeMedia({ assets }, files, { ffprobe_path, inspector }, { cores: MAX_PROBES, owner }, stage_limits),
    );
    if (E.isLeft(properties)) return properties;
    return E.right(new Map(Array.from(properties.right, ([id, found]) => [id, sourceEnd(found)] as const)));
  } finally {
    await inspector.close();
  }
};

/**
 * Checks fonts, assets and the plan before a render is priced. Decodes pictures from URLs completely. Writes nothing.
 */
export const checkMedia = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  { ffprobe_path = 'ffprobe', owner, signal = new AbortController().signal, ...options }: CheckOptions,
): Promise<E.Either<EngineFault, void>> => {
  const limits = remainingLimits({ ...options, signal, budget_ms: PROBING_MS });
  const fetched = fetchedPictures(final, assets);
  const decodes = fetched.size > 0;
  const rasterProcess = openRasterProcess({ assets, families: new Map(), folder: null, decodes }, limits);
  const decoding = withFullDecoding(rasterProcess);
  const inspector: Inspector = {
    inspect: (what, path) => (fetched.has(path) ? decoding : rasterProcess).inspect(what, path),
  };
  try {
    const probing = { stage: 'probing', limit_ms: PROBING_MS };
    const probes = { ffprobe_path, inspector };
    const properties = await withStageLimit(probing, limits(), (stage_limits) =>
      probeMedia(final, assets, probes, { cores: MAX_PROBES, owner }, stage_limits),
    );
    if (E.isLeft(properties)) return properties;
    const planned = composeScene(final, properties.right);
    return E.isLeft(planned) ? planned : E.right(undefined);
  } finally {
    await rasterProcess.close();
  }
};
