import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { isFinal, RenderStatus } from '../../domain/render/render.ts';
import type { CliFault } from '../fault.ts';
import { lifecycleOf, type RenderLifecycle } from './life.ts';
import type { RenderAnswer } from './render-answers.ts';
import type { RenderApi } from './render-api.ts';

export type FollowRenderOptions = {
  readonly poll_ms: number;
  /** An outage of the service that lasts longer than this ends the command, in ms. */
  readonly timeout_ms: number;
  readonly on_lifecycle: (life: RenderLifecycle) => void;
  readonly stop: AbortSignal;
};

export const FOLLOW_DEFAULTS = { poll_ms: 250, timeout_ms: 30_000 } as const;

const isTransient = (fault: CliFault): boolean =>
  fault.tag === 'unreachable' || (fault.tag === 'http' && (fault.status === 429 || fault.status >= 500));

/**
 * Polls the transitions until the render is complete or failed.
 *
 * @returns the complete render; on the left `render_failed`, or why polling failed
 */
export const followRender = async (
  api: RenderApi,
  id: string,
  following: FollowRenderOptions,
): Promise<E.Either<CliFault, RenderAnswer>> => {
  const { poll_ms, timeout_ms, on_lifecycle, stop } = following;
  let last_answer_at = performance.now();
  for (;;) {
    const answer = await api.transitions(id);
    if (E.isLeft(answer)) {
      const given_up = !isTransient(answer.left) || performance.now() - last_answer_at > timeout_ms;
      if (stop.aborted) return E.left({ tag: 'interrupted' });
      if (given_up) return answer;
    } else {
      last_answer_at = performance.now();
      const life = lifecycleOf(answer.right);
      on_lifecycle(life);
      if (life.status === 'failed')
        return E.left({ tag: 'render_failed', id, message: life.failure ?? 'the service gave no reason' });
      if (RenderStatus.is(life.status) && isFinal(life.status)) return api.get(id);
    }
    await wait(poll_ms, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
};
