import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import type { Helped, HelpOptions } from '../../../render-workers/engine/help-composition.ts';
import type { Segment } from '../../../render-workers/engine/plan/render-plan.ts';
import type { EngineFault } from '../../../render-workers/engine/process/engine-fault.ts';
import { NO_HELPERS } from '../../../render-workers/engine/render/helpers.ts';
import type { Rendered, RenderOptions } from '../../../render-workers/engine/render-composition.ts';
import { livesNow } from '../world/life.ts';
import { chance } from '../world/process-globals.ts';
import { asked, machineOfPath } from './machines.ts';

/* In the place of the engine: it takes time, and does what its machine and the composition make it do. */

/** Lengths of compositions, s, say what becomes of their renders. */
export const FINE_S = 2;
export const FAULTY_S = 1;
export const DEADLY_S = 3;
/** Takes long to be looked at. */
export const SLOW_S = 4;

export const FAULT_CODE = 'simulated_fault';

const FRAME_MS = 60;
const CHECK_MS = 50;
const SLOW_CHECK_MS = 8_000;
const HANG_MS = 45_000;

/** Of every film, so that there is something to help with. */
const SEGMENTS = 6;
const PARTS = 'ab';

const MASTER = { width: 320, height: 180 } as const;

export const checkMedia = async (
  { composition }: FinalComposition,
  _assets: unknown,
): Promise<E.Either<EngineFault, void>> => {
  const takes_ms = composition.duration === SLOW_S ? SLOW_CHECK_MS : CHECK_MS;
  await asked(livesNow()).ask(takes_ms * (0.5 + chance()), () => undefined);
  return E.right(undefined);
};

export const renderComposition = async (options: RenderOptions): Promise<E.Either<EngineFault, Rendered>> => {
  const { final, work_dir, signal, on_progress } = options;
  const life = asked(livesNow());
  const machine = machineOfPath(work_dir);
  const { duration } = final.composition;
  const frames = duration * final.composition.fps.num;
  const began_ms = life.clock.monotonic();
  const helpers = options.helpers ?? NO_HELPERS;
  const there = new Set<number>();
  let helped = 0;
  try {
    while (there.size < SEGMENTS) {
      const left = Array.from({ length: SEGMENTS }, (_, index) => index).filter((index) => !there.has(index));
      for (const index of left.filter(helpers.isStored)) {
        there.add(index);
        helped += 1;
      }
      const own = left.find((index) => !(there.has(index) || helpers.isTaken(index))) ?? left.at(-1) ?? 0;
      helpers.want(PARTS, own + 1 < SEGMENTS ? [{ from: own + 1, until: SEGMENTS }] : []);
      await life.clock.sleep((frames * FRAME_MS * (0.2 + chance())) / SEGMENTS, signal);
      there.add(own);
      if (machine.crashes && chance() < 0.25) {
        life.kill('its engine takes it down');
        return await new Promise(() => undefined);
      }
      if (machine.hangs && chance() < 0.25) life.freeze(HANG_MS);
      if (machine.disk_full) return E.left({ tag: 'infrastructure', message: 'a program failed' });
      if (duration === FAULTY_S) return E.left({ tag: 'composition', code: FAULT_CODE, message: 'faulty' });
      if (duration === DEADLY_S) return E.left({ tag: 'decoder_died', message: 'a decoder crashed' });
      on_progress?.({ frames_done: Math.floor((frames * there.size) / (SEGMENTS + 1)), frames_total: frames });
    }
  } catch {
    return E.left({ tag: 'cancelled' });
  }
  const duration_ms = duration * 1_000;
  return E.right({
    encoder_ms: Math.round(life.clock.monotonic() - began_ms),
    frames_helped: Math.floor((frames * helped) / SEGMENTS),
    frames_cached: 0,
    outputs: [
      { variant: 'master', file: `${work_dir}/master.mp4`, ...MASTER, frames, duration_ms, content_type: 'video/mp4' },
    ],
    poster: { file: `${work_dir}/poster.jpg`, ...MASTER, content_type: 'image/jpeg' },
    preview: null,
  });
};

export const helpComposition = async (options: HelpOptions): Promise<E.Either<EngineFault, Helped>> => {
  const { final, work_dir, signal, take, stored } = options;
  const life = asked(livesNow());
  const machine = machineOfPath(work_dir);
  const { duration, fps } = final.composition;
  const frames = duration * fps.num;
  const edge = (index: number): number => Math.round((index * frames) / SEGMENTS);
  const segments: readonly Segment[] = Array.from({ length: SEGMENTS }, (_, index) => ({
    ...{ index, from: edge(index), until: edge(index + 1), keys: {} },
  }));
  try {
    for (;;) {
      const span = await take(segments, fps);
      if (span === null) return E.right('nothing_left');
      for (let index = span.from; index < span.until; index += 1) {
        await life.clock.sleep((frames * FRAME_MS * (0.2 + chance())) / SEGMENTS, signal);
        if (machine.crashes && chance() < 0.25) {
          life.kill('its engine takes it down');
          return await new Promise(() => undefined);
        }
        if (machine.hangs && chance() < 0.25) life.freeze(HANG_MS);
        if (machine.disk_full || duration === FAULTY_S || duration === DEADLY_S)
          return E.left({ tag: 'infrastructure', message: 'a program failed' });
        stored(index);
      }
    }
  } catch {
    return E.left({ tag: 'cancelled' });
  }
};
