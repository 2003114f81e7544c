import { openAttempt } from '../render/render.ts';
import type {
  AttemptWatch,
  DispatchAction,
  DispatchState,
  KnownWorker,
  OpenRender,
  PendingDecision,
} from './dispatch.ts';
import { renderFailureOf } from './failure.ts';
import { isClockRunning, isSilent } from './liveness.ts';
import type { AvailableWorker } from './placement.ts';

/**
 * If an append is not read back within this time, the dispatcher looks the render up in the read model. It repeats the
 * lookup after the same time.
 */
const LOOK_UP_AFTER_MS = 30_000;
/** After this many failed lookups, an assignment counts as lost, if the log is available. */
const MAX_LOOK_UPS = 1;

export type DispatchLimits = {
  readonly account_cap: number;
  readonly environment_timeout_ms: number;
};

type Step = { readonly open: OpenRender; readonly actions: readonly DispatchAction[] };

const quiet = (open: OpenRender): Step => ({ open, actions: [] });

const decidePending = ({ clock }: DispatchState, open: OpenRender, pending: PendingDecision, now: number): Step => {
  if (now - pending.since < LOOK_UP_AFTER_MS) return quiet(open);
  const actions: readonly DispatchAction[] = [{ tag: 'look_up', render_id: open.render.id }];
  if (pending.kind !== 'assign') return { open: { ...open, pending: { ...pending, since: now } }, actions };
  const { look_ups } = pending;
  // The render may be assigned again: this assignment is not in the log, or another event was first. If it arrives
  // late, the fold ignores the dispatcher's next assignment.
  if (look_ups >= MAX_LOOK_UPS && isClockRunning(clock, now)) return { open: { ...open, pending: null }, actions };
  return { open: { ...open, pending: { ...pending, since: now, look_ups: look_ups + 1 } }, actions };
};

/** One action at a time for each render. */
export const decideRenderActions = (
  dispatch: DispatchState,
  open: OpenRender,
  offers: readonly AvailableWorker[],
  limits: DispatchLimits,
  now: number,
): Step => {
  const { render, cause, watch } = open;
  if (open.pending !== null) return decidePending(dispatch, open, open.pending, now);
  const attempt = openAttempt(render);
  if (attempt === null || watch === null) {
    const failure = renderFailureOf(dispatch, open, offers, limits.environment_timeout_ms, now);
    if (failure === null) return quiet(open);
    const pending: PendingDecision = { kind: 'fail', attempts: render.attempts.length, since: now };
    return { open: { ...open, pending }, actions: [{ tag: 'fail', render, ...failure, cause }] };
  }
  const { id: attempt_id, n, worker_id } = attempt;
  if (watch.command === 'due') {
    const sending: AttemptWatch = { ...watch, command: 'sending' };
    const start: DispatchAction = { tag: 'start', render, attempt_id, n, worker_id, cause };
    return { open: { ...open, watch: sending }, actions: [start] };
  }
  if (watch.seen_at === null || !isSilent(dispatch.clock, watch.seen_at, now)) return quiet(open);
  const reason = watch.shown ? 'crashed' : 'never_started';
  return {
    open: { ...open, pending: { kind: 'lose', attempt_id, since: now } },
    actions: [{ tag: 'lose', render, attempt_id, reason, cause }],
  };
};

export const decideReportedAttempts = (dispatch: DispatchState, worker: KnownWorker): readonly DispatchAction[] =>
  worker.attempts.flatMap(({ render_id, attempt_id }): readonly DispatchAction[] => {
    if (dispatch.renders.get(render_id)?.watch?.attempt_id === attempt_id) return [];
    const ended = dispatch.ended.get(attempt_id);
    if (ended === undefined) return [{ tag: 'look_up', render_id }];
    const { is_cancelled } = ended;
    return [{ tag: 'stop', worker_id: worker.worker_id, render_id, attempt_id, is_cancelled }];
  });
