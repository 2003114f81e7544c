import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { DispatchAction, Observation } from '../../domain/dispatch/dispatch.ts';
import { decideAppend } from '../../domain/render/decide.ts';
import { ENVIRONMENT_CODE } from '../../domain/render/environment.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import { assignmentRecord, failureRecord, lossRecord, startCommand, stopCommand } from './action-records.ts';
import type { DispatchDependencies } from './dispatch-dependencies.ts';
import type { RenderTraces } from './render-traces.ts';

const LOOK_UPS_AT_ONCE = 16;

type ActionDependencies = Pick<DispatchDependencies, 'records' | 'append' | 'renders' | 'by' | 'logger' | 'clock'> & {
  readonly traces: RenderTraces;
  readonly warn: Warn;
  readonly signal: AbortSignal;
  /** Gives the results of actions to the dispatcher. */
  readonly observe: (observations: readonly Observation[]) => void;
};

/** Performs the actions of the dispatcher: appends to the log, and lookups in the read model. */
export const actionPerformer = (deps: ActionDependencies): ((action: DispatchAction) => Promise<void>) => {
  const { records, append, renders, by, logger, clock, traces, warn, signal, observe } = deps;
  const atOnce = pLimit(LOOK_UPS_AT_ONCE);

  /** Empty if the fold would ignore the event. */
  const legal = (render: Render, event: RenderEvent): readonly RenderEvent[] => {
    const verdict = decideAppend(render, event, clock.now());
    if (E.isRight(verdict)) return verdict.right;
    const about = { render_id: render.id, event: event.type, reason: verdict.left };
    logger.warn(about, 'not appended: it would be ignored');
    return [];
  };

  const appendEvent = async (render: Render, event: RenderEvent): Promise<void> => {
    const headers = await traces.of(render.id);
    for (const decided of legal(render, event)) await append('render-events', render.id, decided, { headers, signal });
  };

  /** One try only: a worker's slot must not wait for the partition of one render. */
  const assign = async (action: Extract<DispatchAction, { tag: 'assign' }>): Promise<void> => {
    const { render, attempt_id } = action;
    const headers = await traces.of(render.id);
    for (const decided of legal(render, assignmentRecord(by, action))) {
      const appended = await records.append('render-events', render.id, decided, { headers });
      if (E.isRight(appended) || signal.aborted) return;
      warn({ render_id: render.id, fault: appended.left }, 'an assignment was not appended');
      // If the outcome of the append is unknown, the dispatcher looks the render up, and gives the assignment up after
      // a minute.
      if (appended.left.tag === 'not_appended') observe([{ tag: 'not_assigned', render_id: render.id, attempt_id }]);
    }
  };

  const lookUp = async (render_id: string): Promise<void> => {
    const seen = await atOnce(() => renders.one(render_id)).catch((error: unknown) => {
      warn({ error, render_id }, 'the read model did not answer');
      return null;
    });
    if (seen !== null) observe([seen]);
  };

  const reportFailure = ({ render, code, message }: Extract<DispatchAction, { tag: 'fail' }>): void => {
    const told = { render_id: render.id, message, attempts: render.attempts.length };
    if (code === ENVIRONMENT_CODE) logger.error(told, 'a render fails by its environment, through no fault of its own');
    else logger.warn(told, 'a render failed: no attempts are left');
  };

  return async (action) => {
    switch (action.tag) {
      case 'assign':
        return await assign(action);
      case 'lose': {
        const { render, attempt_id, reason } = action;
        logger.warn({ render_id: render.id, attempt_id, reason }, 'an attempt is lost');
        return await appendEvent(render, lossRecord(by, action));
      }
      case 'fail':
        reportFailure(action);
        return await appendEvent(action.render, failureRecord(by, action));
      case 'start': {
        const { render, attempt_id, worker_id } = action;
        if (render.prepared === null) return;
        const command = startCommand(by, action, render.prepared);
        const headers = await traces.of(render.id);
        const appended = await append('render-commands', worker_id, command, { headers, signal });
        if (appended !== null) observe([{ tag: 'command_sent', render_id: render.id, attempt_id }]);
        return;
      }
      case 'stop':
        // No retry: the dispatcher decides again at the worker's next heartbeat.
        await records.append('render-commands', action.worker_id, stopCommand(by, action));
        return;
      case 'look_up':
        return await lookUp(action.render_id);
    }
  };
};
