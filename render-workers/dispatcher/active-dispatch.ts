import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { Beat } from '../../domain/dispatch/beats.ts';
import { type DispatchLimits, decide } from '../../domain/dispatch/decide.ts';
import { type Action, type Dispatch, EMPTY_DISPATCH, type Observation } from '../../domain/dispatch/dispatch.ts';
import { observe } from '../../domain/dispatch/observe.ts';
import { decideFact } from '../../domain/render/decide.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { UnfinishedRenders } from '../../read-models/renders/unfinished-renders.ts';
import type { Append } from '../log/append-until-known.ts';
import type { Author, Headers } from '../log/fact-meta.ts';
import { assignment, failure, loss, startCommand, stopCommand } from './action-records.ts';
import { type ReadStatus, statusReader } from './status-reader.ts';

const BEAT_EVERY_MS = 2_000;
/** Back-offs and silence end without anything being read. */
const TICK_MS = 250;
const START_PAUSE_MS = 1_000;
const BEATS_REMEMBERED = 32;

export type DispatchDeps = {
  readonly dispatcher_id: string;
  readonly records: RecordLog;
  readonly append: Append;
  readonly renders: UnfinishedRenders;
  readonly by: Author;
  readonly limits: DispatchLimits;
  readonly logger: Logger;
};

/** One time of being the active dispatcher, from the gain of the heartbeats' partition to its loss. */
export type ActiveDispatch = {
  readonly onBeats: (beats: readonly Beat[]) => void;
  /** What is known now, for metrics. */
  readonly state: () => Dispatch;
  /** Nothing is begun after this was called, and what is under way is not repeated. */
  readonly stop: () => Promise<void>;
};

export const startDispatch = (deps: DispatchDeps): ActiveDispatch => {
  const { records, append, renders, by, limits, logger } = deps;
  const warn = sparingWarnings(logger);
  const life = new AbortController();
  const { signal } = life;
  const sentAt = new Map<number, number>();
  const traces = new Map<string, Headers>();
  let dispatch = EMPTY_DISPATCH;
  let beat = 0;

  const turn = (observations: readonly Observation[]): void => {
    if (signal.aborted) return;
    const now = performance.now();
    const decided = decide(observe(dispatch, observations, now), limits, () => `att_${mintUlid()}`, now);
    dispatch = decided.dispatch;
    for (const action of decided.actions) {
      perform(action).catch((error: unknown) => logger.error({ error, action: action.tag }, 'an action failed'));
    }
  };

  const appendFact = async (render: Render, fact: RenderEvent): Promise<void> => {
    const verdict = decideFact(render, fact, Date.now());
    if (E.isLeft(verdict)) {
      logger.warn({ render_id: render.id, fact: fact.type, reason: verdict.left }, 'not appended: it would be ignored');
      return;
    }
    const headers = traces.get(render.id) ?? {};
    for (const decided of verdict.right) await append('render-events', render.id, decided, { headers, signal });
  };

  const lookUp = async (render_id: string): Promise<void> => {
    const seen = await renders.one(render_id).catch((error: unknown) => {
      warn({ error, render_id }, 'the read model could not be asked');
      return null;
    });
    if (seen !== null) turn([seen]);
  };

  const perform = async (action: Action): Promise<void> => {
    switch (action.tag) {
      case 'assign':
        return await appendFact(action.render, assignment(by, action));
      case 'lose': {
        const { render, attempt_id, reason } = action;
        logger.warn({ render_id: render.id, attempt_id, reason }, 'an attempt is lost');
        return await appendFact(render, loss(by, action));
      }
      case 'fail':
        logger.warn({ render_id: action.render.id, message: action.message }, 'a render is given up');
        return await appendFact(action.render, failure(by, action));
      case 'start': {
        const { render, attempt_id, worker_id } = action;
        if (render.prepared === null) return;
        const command = startCommand(by, action, render.prepared);
        const headers = traces.get(render.id) ?? {};
        const appended = await append('render-commands', worker_id, command, { headers, signal });
        if (appended !== null) turn([{ tag: 'command_sent', render_id: render.id, attempt_id }]);
        return;
      }
      case 'stop':
        // Not repeated here: it is decided again at the worker's next beat.
        await records.append('render-commands', action.worker_id, stopCommand(by, action));
        return;
      case 'look_up':
        return await lookUp(action.render_id);
    }
  };

  const onStatus = (read: readonly ReadStatus[]): void => {
    for (const { seen, trace } of read) {
      if (isFinal(seen.render.status)) traces.delete(seen.render.id);
      else if (trace.traceparent !== undefined) traces.set(seen.render.id, trace);
    }
    turn(read.map(({ seen }) => seen));
  };

  const sendBeat = async (): Promise<void> => {
    beat += 1;
    const number = beat;
    sentAt.set(number, performance.now());
    sentAt.delete(number - BEATS_REMEMBERED);
    const { dispatcher_id } = deps;
    await records.append('worker-heartbeats', dispatcher_id, {
      type: 'DispatcherBeat',
      meta: by(null, null),
      dispatcher_id,
      beat: number,
    });
  };

  const load = async (group: string) => {
    const reader = await statusReader(records, group, onStatus);
    // From here on the read model is ahead of where the reader begins, so nothing falls between them.
    const open = await renders.all();
    if (signal.aborted) return null;
    const subscription = await reader.start();
    turn([...open, { tag: 'loaded' }]);
    logger.info({ open_renders: open.length }, 'dispatching');
    return subscription;
  };

  const begun = (async () => {
    while (!signal.aborted) {
      try {
        return await load(`${deps.dispatcher_id}-${mintUlid()}`);
      } catch (error) {
        warn({ error }, 'cannot begin to dispatch yet');
        await wait(START_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  })();

  const ticking = setInterval(() => turn([]), TICK_MS);
  const beating = setInterval(() => {
    sendBeat().catch((error: unknown) => warn({ error }, 'a beat was not sent'));
  }, BEAT_EVERY_MS);

  return {
    onBeats: (beats) => {
      turn(
        beats.flatMap((one): readonly Observation[] => {
          if (one.type === 'WorkerBeat') return [{ tag: 'worker_beat', beat: one }];
          const sent_at = one.dispatcher_id === deps.dispatcher_id ? sentAt.get(one.beat) : undefined;
          return sent_at === undefined ? [] : [{ tag: 'own_beat', sent_at }];
        }),
      );
    },
    state: () => dispatch,
    stop: async () => {
      life.abort();
      clearInterval(ticking);
      clearInterval(beating);
      const subscription = await begun;
      await subscription?.stop();
    },
  };
};
