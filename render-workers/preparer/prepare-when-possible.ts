import * as E from 'fp-ts/lib/Either.js';
import type { WorkCost } from '../../domain/limits/failed-work.ts';
import type { PreparedRender } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import { type WorkMeter, workMeter } from '../metering/work-meter.ts';
import type { AccountSlots } from '../queue/account-slots.ts';
import type { EnvironmentGate } from './environment-gate.ts';
import { ENVIRONMENT_FAILED, type PreparationFault } from './preparation-fault.ts';

const SHORTEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 900_000;
/** Each pause is 1 / `PART` of the time that the render has waited. */
const PART = 4;
/** Maximum of a single wait, because Node limits the delay of a timer. A render may wait several times. */
const LONGEST_WAIT_MS = 3_600_000;

type Outcome = E.Either<PreparationFault, PreparedRender>;

export type PrepareWhenPossibleDependencies = {
  readonly isInitializing: (render_id: string, signal: AbortSignal) => Promise<boolean>;
  readonly prepare: (render: Render, meter: WorkMeter, signal: AbortSignal) => Promise<Outcome>;
  readonly slots: Pick<AccountSlots, 'inSlot'>;
  readonly gate: Omit<EnvironmentGate, 'stop'>;
  /** Maximum wait of a render for its environment. */
  readonly environment_timeout_ms: number;
  readonly paused: Set<string>;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** Null if the gate was closed, so the try did not begin. */
type Tried = { readonly outcome: Outcome; readonly cost: WorkCost; readonly took_ms: number } | null;

/**
 * If a dependency is unavailable, the render frees its slot and retries later. Time in the slot's queue does not count.
 * Null if the render needs no preparation any longer.
 * @param meterOf creates the meter of each try
 */
export const prepareWhenPossible = async (
  parts: PrepareWhenPossibleDependencies,
  render: Render,
  signal: AbortSignal,
  meterOf: () => WorkMeter = workMeter,
): Promise<{ readonly outcome: Outcome; readonly cost: WorkCost } | null> => {
  const { slots, gate, environment_timeout_ms, paused, clock } = parts;
  const { id: render_id, account_id } = render;
  const warn = throttledWarn(parts.logger);
  let waited_ms = 0;

  const waiting = async (work: () => Promise<void>): Promise<void> => {
    const began_ms = clock.monotonic();
    paused.add(render_id);
    try {
      await work();
    } finally {
      paused.delete(render_id);
      waited_ms += clock.monotonic() - began_ms;
    }
  };
  const left_ms = (): number => Math.max(0, Math.min(LONGEST_WAIT_MS, Math.ceil(environment_timeout_ms - waited_ms)));
  const pause_ms = (): number =>
    Math.min(left_ms(), LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Math.round(waited_ms / PART)));

  const tryOnce = async (): Promise<Tried> => {
    // The gate closed while the render waited for its slot.
    if (!gate.isOpen()) return null;
    const began_ms = clock.monotonic();
    const meter = meterOf();
    const outcome = await parts.prepare(render, meter, signal);
    return { outcome, cost: meter.cost(), took_ms: clock.monotonic() - began_ms };
  };

  for (;;) {
    if (!gate.isOpen()) await waiting(() => withTimeout(left_ms(), gate.waitUntilOpen(signal), () => undefined, clock));
    if (waited_ms >= environment_timeout_ms) break;
    if (!gate.isOpen()) continue;
    if (!(await parts.isInitializing(render_id, signal))) return null;
    const tried = await slots.inSlot<Tried>(account_id, signal, tryOnce, () => null);
    signal.throwIfAborted();
    if (tried === null) continue;
    const { outcome, cost, took_ms } = tried;
    const fault = E.isLeft(outcome) ? outcome.left : null;
    if (fault?.waits_for === undefined) {
      gate.reportSuccess();
      return { outcome, cost };
    }
    const { waits_for: reason, message } = fault;
    warn({ render_id, reason, message }, 'a render waits for a dependency of its preparation');
    waited_ms += took_ms;
    await waiting(async () => {
      await gate.suspect(reason);
      await clock.sleep(pause_ms(), signal);
    });
  }
  return { outcome: E.left(ENVIRONMENT_FAILED), cost: workMeter().cost() };
};
