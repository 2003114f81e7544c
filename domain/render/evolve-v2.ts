import { cancelledStageOf, isCancellation } from './cancellation.ts';
import { evolveV1, moveStatus, type Verdict, type WorkEvent } from './evolve.ts';
import { isFinal, type Render } from './render.ts';

/**
 * Version 2 of the fold adds cancellation to version 1. A render can be cancelled until it is final, also during an
 * open attempt. Its behaviour for known events never changes.
 *
 * @param render the state before the event; null if no event was accepted yet
 * @param event the next record of this render, in log order
 * @param at the append time of that record, ms
 */
export const evolveV2 = (render: Render | null, event: WorkEvent, at: number): Verdict => {
  if (render === null || isFinal(render.status) || event.type !== 'RenderFailed' || !isCancellation(event))
    return evolveV1(render, event, at);
  const { code, message, field } = event;
  // The event's own stage may be from an earlier status.
  return moveStatus(
    { ...render, failure: { stage: cancelledStageOf(render.status), code, message, field } },
    'failed',
    at,
  );
};
