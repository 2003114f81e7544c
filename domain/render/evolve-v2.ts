import { isCancellation, stageOf } from './cancellation.ts';
import { evolveV1, moved, type Verdict, type WorkEvent } from './evolve.ts';
import { isFinal, type Render } from './render.ts';

/**
 * Version 2 of the fold: version 1, and a render can be cancelled until it is final, also while an attempt is open.
 * Never to be changed for events that it already knows.
 *
 * @param render what came before; null when nothing was accepted yet
 * @param event the next record of this render, in log order
 * @param at the append time of that record, ms
 */
export const evolveV2 = (render: Render | null, event: WorkEvent, at: number): Verdict => {
  if (render === null || isFinal(render.status) || event.type !== 'RenderFailed' || !isCancellation(event))
    return evolveV1(render, event, at);
  const { code, message, field } = event;
  // Whoever appended it knew the status of a moment ago.
  return moved({ ...render, failure: { stage: stageOf(render.status), code, message, field } }, 'failed', at);
};
