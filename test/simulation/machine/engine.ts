import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition, FinalVariant } from '../../../domain/composition/final-composition.ts';
import { cacheKeyOf } from '../../../engine/cache/key-of.ts';
import type { RenderPlan, Run, Segment } from '../../../engine/plan/render-plan.ts';
import { type EngineFault, infrastructureFault } from '../../../engine/process/engine-fault.ts';
import type { ProcessLimits } from '../../../engine/process/run-process.ts';
import type { EncodeResult } from '../../../engine/render/encode-video.ts';
import type { FinishContext } from '../../../engine/render/finish.ts';
import { type Helpers, NO_HELPERS } from '../../../engine/render/helpers.ts';
import type { Scene } from '../../../engine/scene/scene.ts';
import { sha256Hex } from '../../../platform/access/sha256.ts';
import { livesNow } from '../world/life.ts';
import { chance } from '../world/process-globals.ts';
import { bytesAt, existsSync, writeFile, writeNow } from './disk.ts';
import { asked, isAsBefore, machineOfPath } from './machines.ts';

/**
 * Replaces the engine's programs: ffprobe, the raster program and ffmpeg. They take time, and their machine and the
 * composition determine the outcome. They write a few bytes that depend on the composition and the segment. The
 * service's own code does everything around them: plans of runs, help, claims, the segment cache.
 */

/** The length in seconds of a composition determines the outcome of its renders. */
export const FINE_S = 2;
export const FAULTY_S = 1;
export const DEADLY_S = 3;
/** The check of its media takes long. */
export const SLOW_S = 4;

export const FAULT_CODE = 'simulated_fault';

const FRAME_MS = 60;
const CHECK_MS = 50;
const SLOW_CHECK_MS = 8_000;
const HANG_MS = 30_000;
const LOOK_MS = 500;

/** Every film has several segments, so that helpers have work. */
const SEGMENTS = 4;
/** This many first segments are equal in all films of a project, whatever their picture size. */
const ALIKE = 2;
/** Frames of one segment. At one frame per second, a segment is ten seconds of work, for which workers request help. */
const FRAMES = 10;
const MASTER = 'master';
const END = ' end\n';

type Film = Scene & { readonly final: FinalComposition };
type Made<A> = Promise<E.Either<EngineFault, A>>;

const pictures = ({ composition, variants }: FinalComposition, index: number): unknown =>
  index < ALIKE ? { duration: composition.duration, index } : { composition, variants, index };

const partBytes = (final: FinalComposition, index: number): Buffer =>
  Buffer.from(`part ${sha256Hex(JSON.stringify(pictures(final, index)))}${END}`);

export const masterBytes = (final: FinalComposition): Buffer =>
  Buffer.concat(Array.from({ length: SEGMENTS }, (_, index) => partBytes(final, index)));

const checkedIn = async (takes_ms: number): Promise<void> => {
  await asked(livesNow()).ask(takes_ms * (0.5 + chance()), () => undefined);
};

export const checkMedia = async ({ composition }: FinalComposition): Made<void> => {
  await checkedIn(composition.duration === SLOW_S ? SLOW_CHECK_MS : CHECK_MS);
  return E.right(undefined);
};

/** No film of the simulation has times that follow from lengths. */
export const mediaLengths = async (): Made<ReadonlyMap<string, number>> => E.right(new Map());

/** Equal segments, in place of the engine's plan. */
export const prepareRenderPlan = async ({
  final,
}: {
  readonly final: FinalComposition;
}): Made<Omit<RenderPlan, 'runs'>> => {
  const outputs = final.variants.slice(0, 1);
  const film = {
    ...{ final, outputs, fps: { num: 1, den: 1 }, frames: SEGMENTS * FRAMES, poster_frame: 0, videoTrack: [] },
    ...{ width: final.composition.width, height: final.composition.height },
  } as unknown as Film;
  const segments = Array.from({ length: SEGMENTS }, (_, index): Segment => {
    const key = cacheKeyOf(pictures(final, index));
    const keys = Object.fromEntries(outputs.map(({ name }) => [name, key]));
    return { index, from: index * FRAMES, until: (index + 1) * FRAMES, keys };
  });
  return E.right({ scene: film, segments, sound_key: 'no sound' });
};

export const fontFamilyByAsset = (): ReadonlyMap<string, string> => new Map();
export const openRasterProcess = () => ({ close: async () => undefined });

/** The engine's check of a fetched part: whether it has all frames. */
export const partFault = async (file: string): Promise<string | null> =>
  isAsBefore('parts_unchecked') || (existsSync(file) && bytesAt(file).toString().endsWith(END))
    ? null
    : 'it lacks frames';

type Encoding = {
  readonly scene: Scene;
  readonly on_part: (segment: Segment, output: FinalVariant, file: string) => void;
  readonly on_frames: (frames: number) => void;
  readonly encoding: { readonly helpers?: Helpers };
};

/**
 * The earlier behaviour: the worker waits for started parts even if their helper has died. Null once all parts are
 * stored.
 */
const waitForHelpers = async (
  { segments }: Run,
  { isTaken, isStored }: Helpers,
  { signal, budget_ms }: ProcessLimits,
): Promise<EngineFault | null> => {
  const { clock } = asked(livesNow());
  const begun = segments.filter(({ index }) => isTaken(index));
  const until = clock.monotonic() + budget_ms;
  while (!begun.every(({ index }) => isStored(index))) {
    if (clock.monotonic() > until) return { tag: 'over_budget', message: 'waits for a helper' };
    await clock.sleep(LOOK_MS, signal);
  }
  return null;
};

export const encodeRun = async (run: Run, folder: string, parts: Encoding, limits: ProcessLimits): Made<void> => {
  const life = asked(livesNow());
  const machine = machineOfPath(folder);
  const { final } = parts.scene as Film;
  const { duration, fps } = final.composition;
  for (const segment of run.segments) {
    try {
      const fault = isAsBefore('helpers_waited_for')
        ? await waitForHelpers(run, parts.encoding.helpers ?? NO_HELPERS, limits)
        : null;
      if (fault !== null) return E.left(fault);
      await life.clock.sleep((duration * fps.num * FRAME_MS * (0.2 + chance())) / SEGMENTS, limits.signal);
    } catch {
      return E.left({ tag: 'cancelled' });
    }
    if (machine.crashes && chance() < 0.25) {
      life.kill('its engine takes it down');
      return await new Promise(() => undefined);
    }
    if (machine.hangs && chance() < 0.25) life.freeze(HANG_MS);
    if (machine.disk_full) return E.left(infrastructureFault('a program failed'));
    if (duration === FAULTY_S) return E.left({ tag: 'composition', code: FAULT_CODE, message: 'faulty' });
    if (duration === DEADLY_S) return E.left({ tag: 'decoder_died', message: 'a decoder crashed' });
    for (const output of run.outputs) {
      const file = join(folder, `${output.name}-${segment.index}.mp4`);
      writeNow(file, partBytes(final, segment.index));
      parts.on_part(segment, output, file);
    }
    parts.on_frames(segment.until - run.from);
  }
  return E.right(undefined);
};

type VideoEncoding = Omit<Encoding, 'on_frames'> & {
  readonly runs: readonly Run[];
  readonly count: { readonly of_run: (run: Run, frames: number) => void };
  readonly folder: string;
  readonly number: number;
  readonly encode: typeof encodeRun;
};

export const encodeVideo = async (
  { runs, count, folder, number, encode, ...parts }: VideoEncoding,
  limits: ProcessLimits,
): Made<EncodeResult> => {
  const life = asked(livesNow());
  const began = life.clock.monotonic();
  for (const [index, run] of runs.entries()) {
    const own = { ...parts, on_frames: (frames: number) => count.of_run(run, frames) };
    const made = await encode(run, join(folder, `run-${number + index}`), own, limits);
    if (E.isLeft(made)) return made;
  }
  return E.right({ encoder_ms: Math.round(life.clock.monotonic() - began), next: number + runs.length });
};

export const encodeSound = async (): Made<string> => E.right('');

export const findPosterPart = (_scene: Scene, segments: readonly Segment[]) => ({
  key: segments[0]?.keys[MASTER] ?? '',
  frame: 0,
});

const written = async (file: string, bytes: Buffer): Made<string> => {
  try {
    await writeFile(file, bytes);
    return E.right(file);
  } catch {
    return E.left(infrastructureFault('a program failed'));
  }
};

/** Joins parts without checking them. */
export const finishOutput = async (
  { name }: FinalVariant,
  _sound: string,
  { segments, parts, folder }: FinishContext,
): Made<string> => {
  const files = segments.map(({ keys }) => parts.get(keys[name] ?? '') ?? '');
  return await written(join(folder, `output-${name}`, `${name}.mp4`), Buffer.concat(files.map(bytesAt)));
};

export const finishPoster = async ({ folder }: FinishContext): Made<string> =>
  await written(join(folder, 'poster', 'poster.jpg'), Buffer.from('a poster'));

export const finishPreview = async (): Made<never> => E.left(infrastructureFault('no preview is simulated'));

type ReplacedModules = typeof import('../../../engine/check-composition.ts') &
  typeof import('../../../engine/encode/verify-output.ts') &
  typeof import('../../../engine/plan/prepare.ts') &
  typeof import('../../../engine/raster/raster-process.ts') &
  typeof import('../../../engine/render/encode-run.ts') &
  typeof import('../../../engine/render/encode-sound.ts') &
  typeof import('../../../engine/render/encode-video.ts') &
  typeof import('../../../engine/render/finish.ts');

/** The loader replaces modules by name, so only this lets the compiler find a replacement with an outdated name. */
({
  checkMedia,
  mediaLengths,
  partFault,
  prepareRenderPlan,
  fontFamilyByAsset,
  openRasterProcess,
  encodeRun,
  encodeSound,
  encodeVideo,
  findPosterPart,
  finishOutput,
  finishPoster,
  finishPreview,
}) satisfies Partial<Record<keyof ReplacedModules, unknown>>;
