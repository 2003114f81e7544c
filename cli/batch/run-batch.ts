import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { isFinal, RenderStatus } from '../../domain/render/render.ts';
import { type CliFault, reportOf } from '../fault.ts';
import { createRequestRetrier, type RequestRetrier, type RequestRetryOptions } from '../http/retry.ts';
import { lifecycleOf } from '../render/life.ts';
import type { RenderAnswer } from '../render/render-answers.ts';
import type { RenderApi } from '../render/render-api.ts';
import type { BatchRowRequest } from './row-orders.ts';
import type { RowResult } from './row-result.ts';

export type BatchRunOptions = RequestRetryOptions & {
  /** Number of concurrent rows; a row is active until its render has ended. */
  readonly concurrency: number;
  readonly waits: boolean;
  readonly poll_ms: number;
  readonly longest_poll_ms: number;
  /** Ms since the epoch. Renders that are older than this time belong to an earlier batch. */
  readonly began_at: number;
  readonly on_change: (results: () => readonly RowResult[]) => void;
  /** Called when the row has its final result. */
  readonly on_done: (result: RowResult) => void;
};

export const BATCH_POLLING = { poll_ms: 250, longest_poll_ms: 2_000 } as const;

export type BatchOutcome = { readonly results: readonly RowResult[]; readonly ended_by: CliFault | null };

const isAway = (fault: CliFault): boolean => fault.tag !== 'http' || fault.status === 429 || fault.status >= 500;

/** Whether every other row would get the same fault. */
const concernsAll = (fault: CliFault): boolean =>
  isAway(fault) || (fault.tag === 'http' && [401, 402, 404].includes(fault.status));

const ANOTHER_BODY = 422;
const REPEATED =
  'was already requested with a different name or different values: restore them, or use --edition to render it again';

const textOf = (fault: CliFault): string =>
  fault.tag === 'http' && fault.status === ANOTHER_BODY ? REPEATED : reportOf(fault).message;

const resultOf = ({ row, line }: BatchRowRequest, status: string, error: string | null): RowResult => ({
  ...{ row, line, status, error },
  ...{ render_id: null, url: null, found: false },
});

const waiting = (order: BatchRowRequest): RowResult =>
  order.tag === 'order' ? resultOf(order, 'not_asked', null) : resultOf(order, 'invalid', order.faults.join('; '));

const isOver = ({ status }: RenderAnswer): boolean => RenderStatus.is(status) && isFinal(status);

/**
 * Polls until the render has ended; `fault` is why polling failed. Without waiting, it polls only a render that already
 * existed, because the response to a repeated POST has the render's first state.
 */
const followed = async (
  api: RenderApi,
  retried: RequestRetrier,
  first: RenderAnswer,
  found: boolean,
  run: BatchRunOptions,
) => {
  let render = first;
  let pause_ms = found ? 0 : run.poll_ms;
  for (let polls = 0; (found && polls === 0) || (run.waits && !isOver(render)); polls += 1) {
    await wait(pause_ms, undefined, { signal: run.stop }).catch(() => undefined);
    const answer = await retried(() => api.get(render.id));
    if (E.isLeft(answer)) return { render, fault: answer.left };
    render = answer.right;
    pause_ms = Math.min(run.longest_poll_ms, Math.max(run.poll_ms, pause_ms * 1.5));
  }
  return { render, fault: null };
};

const failureOf = async (api: RenderApi, retried: RequestRetrier, id: string): Promise<string> => {
  const transitions = await retried(() => api.transitions(id));
  return E.isRight(transitions)
    ? (lifecycleOf(transitions.right).failure ?? 'the service gave no reason')
    : 'the reason is unknown';
};

/**
 * Requests a render for each valid row, `concurrency` at a time. If `waits` is set, it waits for the renders.
 * Idempotency keys find the renders of earlier runs. Never rejects. Ctrl-C ends the batch, but not the renders.
 */
export const runBatch = async (
  api: RenderApi,
  orders: readonly BatchRowRequest[],
  run: BatchRunOptions,
): Promise<BatchOutcome> => {
  const retried = createRequestRetrier(run);
  const results = orders.map(waiting);
  let ended_by: CliFault | null = null;

  const set = (at: number, result: RowResult): void => {
    results[at] = result;
    run.on_change(() => results);
  };
  const endWith = (fault: CliFault): void => {
    ended_by ??= fault;
  };

  const one = async (order: BatchRowRequest, at: number): Promise<void> => {
    if (order.tag === 'at_fault' || ended_by !== null) return;
    let hasSentRequest = false;
    const created = await retried(() => {
      hasSentRequest = true;
      return api.create(order.order, order.idempotency_key);
    });
    if (E.isLeft(created)) {
      if (concernsAll(created.left)) endWith(created.left);
      if (hasSentRequest && created.left.tag === 'interrupted') set(at, resultOf(order, 'unanswered', null));
      if (!isAway(created.left)) set(at, resultOf(order, 'refused', textOf(created.left)));
      return;
    }
    const found = created.right.created_at < run.began_at;
    const known = { ...resultOf(order, created.right.status, null), render_id: created.right.id, found };
    set(at, known);
    const { render, fault } = await followed(api, retried, created.right, found, run);
    if (fault !== null) {
      if (concernsAll(fault)) endWith(fault);
      set(at, { ...known, status: render.status, error: fault.tag === 'interrupted' ? null : textOf(fault) });
    } else if (render.status === 'failed')
      set(at, { ...known, status: 'failed', error: await failureOf(api, retried, render.id) });
    else set(at, { ...known, status: render.status, url: render.output?.master ?? null });
  };
  const done = (at: number): void => {
    const result = results[at];
    const was_asked = result !== undefined && result.status !== 'invalid' && result.status !== 'not_asked';
    if (was_asked && !run.stop.aborted) run.on_done(result);
  };

  const limit = pLimit(run.concurrency);
  await Promise.all(orders.map((order, at) => limit(() => one(order, at).then(() => done(at)))));
  return { results, ended_by };
};
