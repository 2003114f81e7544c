import type { RenderEvent } from '../../../domain/render/events.ts';
import { openAttempt, type Render } from '../../../domain/render/render.ts';
import type { StoredEvent } from '../../../domain/render/stored-event.ts';
import { failureResource } from './render-resource.ts';
import type { Transition, TransitionList } from './renders.ts';

const attemptOf = (render: Render, event: RenderEvent): number | null =>
  'attempt_id' in event ? (render.attempts.find(({ id }) => id === event.attempt_id)?.n ?? null) : null;

const failureOf = ({ failure }: Render) => (failure === null ? {} : { failure: failureResource(failure) });

const share = ({ frames_done, frames_total }: { readonly frames_done: number; readonly frames_total: number }) =>
  frames_total > 0 ? Math.min(1, Math.max(0, frames_done / frames_total)) : 0;

type LiveProgress = { readonly attempt_id: string; readonly frames_done: number; readonly frames_total: number };

/**
 * The progress of the open attempt, 0 to 1: from its last heartbeat, else from its first report, else 0. Null if the
 * render is not processed.
 */
export const progressNow = (
  render: Render,
  events: readonly StoredEvent[],
  live: LiveProgress | null,
): number | null => {
  if (render.status !== 'processing') return null;
  const attempt_id = openAttempt(render)?.id;
  if (live !== null && live.attempt_id === attempt_id) return share(live);
  const reports = events.map((stored) => (stored.verdict === 'accepted' ? stored.fact : null));
  const first = reports.find((event) => event?.type === 'RenderProgressed' && event.attempt_id === attempt_id);
  return first?.type === 'RenderProgressed' ? share(first) : 0;
};

/**
 * @param events in log order
 * @param live the progress in the last heartbeat; null without one
 */
export const transitionsResource = (
  render: Render,
  events: readonly StoredEvent[],
  live: LiveProgress | null,
): TransitionList => ({
  data: events.flatMap((stored): readonly Transition[] => {
    if (stored.verdict === 'ignored' || stored.transition === null) return [];
    const { seq, to: status, at } = stored.transition;
    const progress = status === 'processing' ? progressNow(render, events, live) : null;
    return [
      {
        seq,
        status,
        at,
        attempt: attemptOf(render, stored.fact),
        ...(progress === null ? {} : { progress }),
        ...(status === 'failed' ? failureOf(render) : {}),
      },
    ];
  }),
});
