import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import type { EngineFault } from '../../../render-workers/engine/process/engine-fault.ts';
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
  const steps = 3;
  try {
    for (let step = 1; step <= steps; step += 1) {
      await life.clock.sleep((frames * FRAME_MS * (0.2 + chance())) / steps, signal);
      if (machine.crashes && chance() < 0.5) {
        life.kill('its engine takes it down');
        return await new Promise(() => undefined);
      }
      if (machine.hangs && chance() < 0.5) life.freeze(HANG_MS);
      if (machine.disk_full) return E.left({ tag: 'infrastructure', message: 'a program failed' });
      if (duration === FAULTY_S && step === 2)
        return E.left({ tag: 'composition', code: FAULT_CODE, message: 'faulty' });
      if (duration === DEADLY_S && step === 2) return E.left({ tag: 'decoder_died', message: 'a decoder crashed' });
      on_progress?.({ frames_done: Math.floor((frames * step) / (steps + 1)), frames_total: frames });
    }
  } catch {
    return E.left({ tag: 'cancelled' });
  }
  const duration_ms = duration * 1_000;
  return E.right({
    encoder_ms: Math.round(life.clock.monotonic() - began_ms),
    frames_helped: 0,
    frames_cached: 0,
    outputs: [
      { variant: 'master', file: `${work_dir}/master.mp4`, ...MASTER, frames, duration_ms, content_type: 'video/mp4' },
    ],
    poster: { file: `${work_dir}/poster.jpg`, ...MASTER, content_type: 'image/jpeg' },
    preview: null,
  });
};
