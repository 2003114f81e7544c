import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import { describeSound } from '../encode/sound-run.ts';
import { probeMedia } from '../media/cached-media.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { withStageLimit } from '../process/stage-limit.ts';
import { awaitWithinLimits } from '../process/within-limits.ts';
import type { RasterProcess } from '../raster/raster-process.ts';
import { composeScene } from '../scene/compose-scene.ts';
import type { Scene } from '../scene/scene.ts';
import type { RenderPlan } from './render-plan.ts';
import { type SegmentOptions, splitIntoSegments } from './segments.ts';
import { toolchainOf } from './toolchain.ts';

export type RenderPlanOptions = SegmentOptions & {
  readonly final: FinalComposition;
  readonly assets: ReadonlyMap<string, string>;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly rasterProcess: RasterProcess;
  readonly cores: number;
  /** The account of the render. Without it, properties of images and fonts are not cached. */
  readonly owner?: string;
};

/**
 * Limit for all media together. Each file also has its own limit. Generous, because the preparer has already probed the
 * same media within a minute.
 */
const PROBING = { stage: 'probing', limit_ms: 600_000 };

export const sceneOf = async (
  { final, assets, ffprobe_path, cores, owner, rasterProcess }: Omit<RenderPlanOptions, 'ffmpeg_path'>,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, Scene>> => {
  const probes = { ffprobe_path, inspector: rasterProcess };
  const media = await withStageLimit(PROBING, limits, (stage_limits) =>
    probeMedia(final, assets, probes, { cores, owner }, stage_limits),
  );
  return E.isLeft(media) ? media : composeScene(final, media.right);
};

export const prepareRenderPlan = async (
  options: RenderPlanOptions,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, Omit<RenderPlan, 'runs'>>> => {
  const pending_toolchain = awaitWithinLimits(
    toolchainOf(options.final.variants, options.ffmpeg_path, limits.sandbox),
    limits,
  );
  const [scene, toolchain] = await Promise.all([sceneOf(options, limits), pending_toolchain]);
  if (E.isLeft(scene)) return scene;
  if (E.isLeft(toolchain)) return toolchain;
  if (E.isLeft(toolchain.right)) return toolchain.right;
  const segments = splitIntoSegments(scene.right, toolchain.right.right, options);
  const sound = { drawing: toolchain.right.right.drawing, sound: describeSound(scene.right) };
  return E.right({ scene: scene.right, segments, sound_key: cacheKeyOf(sound) });
};
