import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { DispatchLimits } from '../../domain/dispatch/decide.ts';
import type { Action, Dispatch, Observation } from '../../domain/dispatch/dispatch.ts';
import { createDispatcher } from '../../domain/dispatch/dispatcher.ts';
import type { Heartbeat } from '../../domain/dispatch/heartbeats.ts';
import { setAside } from '../../domain/dispatch/set-aside.ts';
import { decideAppend } from '../../domain/render/decide.ts';
import { ENVIRONMENT_CODE } from '../../domain/render/environment.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { UnfinishedRenders } from '../../read-models/renders/unfinished-renders.ts';
import type { Append } from '../log/append-until-known.ts';
import type { Author } from '../log/record-author.ts';
import { assignment, failure, loss, startCommand, stopCommand } from './action-records.ts';
import { renderTraces } from './render-traces.ts';
import { renderWaits } from './render-waits.ts';
import { type ReadStatus, type SeenRender, statusReader } from './status-reader.ts';

const HEARTBEAT_EVERY_MS = 2_000;
/** Backoffs expire and workers fall silent without a new record, so a timer also triggers decisions. */
const TICK_MS = 250;
/** Observations within this time are decided on together. */
const COALESCE_MS = 5;
const LOOK_UPS_AT_ONCE = 16;
const HEARTBEATS_REMEMBERED = 32;
/** Limit of the machines that a heartbeat names, so that the record stays small. */
const MAX_SET_ASIDE = 100;

export type DispatchDeps = {
  readonly dispatcher_id: string;
  readonly records: RecordLog;
  readonly stops?: StoppedPartitions;
  readonly append: Append;
  readonly renders: UnfinishedRenders;
  /** Rejects while the read model lacks a record that was published before the call. */
  readonly requireCaughtUp: () => Promise<void>;
  readonly by: Author;
  readonly waited: Parameters<typeof renderWaits>[0];
  readonly limits: DispatchLimits;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** One term as the active dispatcher, from the assignment of the heartbeats' partition to its loss. */
export type ActiveDispatch = {
  readonly onHeartbeats: (heartbeats: readonly Heartbeat[]) => void;
  /** The present state, for metrics. */
  readonly state: () => Dispatch;
  /** Starts no new action and does not retry those in flight. */
  readonly stop: () => Promise<void>;
};

export const startDispatch = (deps: DispatchDeps): ActiveDispatch => {
  const { records, append, renders, by, limits, logger, clock } = deps;
  const warn = throttledWarn(logger);
  const life = new AbortController();
  const { signal } = life;
  const sentAt = new Map<number, number>();
  const traces = renderTraces(records.log, clock);
  const waits = renderWaits(deps.waited);
  const core = createDispatcher(limits, () => `att_${mintUlid()}`);
  const atOnce = pLimit(LOOK_UPS_AT_ONCE);
  let beat = 0;
  let cancelTurn: (() => void) | null = null;

  const decide = (): void => {
    cancelTurn?.();
    cancelTurn = null;
    if (signal.aborted) return;
    for (const action of core.decide(clock.monotonic())) {
      perform(action).catch((error: unknown) => logger.error({ error, action: action.tag }, 'an action failed'));
    }
  };

  const turn = (observations: readonly Observation[]): void => {
    if (signal.aborted || observations.length === 0) return;
    core.observe(observations, clock.monotonic());
    cancelTurn ??= clock.after(COALESCE_MS, decide);
  };

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
  const assign = async (action: Extract<Action, { tag: 'assign' }>): Promise<void> => {
    const { render, attempt_id } = action;
    const headers = await traces.of(render.id);
    for (const decided of legal(render, assignment(by, action))) {
      const appended = await records.append('render-events', render.id, decided, { headers });
      if (E.isRight(appended) || signal.aborted) return;
      warn({ render_id: render.id, fault: appended.left }, 'an assignment was not appended');
      // If the outcome of the append is unknown, the reader looks it up and gives up after a minute.
      if (appended.left.tag === 'not_appended') turn([{ tag: 'not_assigned', render_id: render.id, attempt_id }]);
    }
  };

  const lookUp = async (render_id: string): Promise<void> => {
    const seen = await atOnce(() => renders.one(render_id)).catch((error: unknown) => {
      warn({ error, render_id }, 'the read model did not answer');
      return null;
    });
    if (seen !== null) turn([seen]);
  };

  const reportFailure = ({ render, code, message }: Extract<Action, { tag: 'fail' }>): void => {
    const told = { render_id: render.id, message, attempts: render.attempts.length };
    if (code === ENVIRONMENT_CODE) logger.error(told, 'a render fails by its environment, through no fault of its own');
    else logger.warn(told, 'a render failed: no attempts are left');
  };

  const perform = async (action: Action): Promise<void> => {
    switch (action.tag) {
      case 'assign':
        return await assign(action);
      case 'lose': {
        const { render, attempt_id, reason } = action;
        logger.warn({ render_id: render.id, attempt_id, reason }, 'an attempt is lost');
        return await appendEvent(render, loss(by, action));
      }
      case 'fail':
        reportFailure(action);
        return await appendEvent(action.render, failure(by, action));
      case 'start': {
        const { render, attempt_id, worker_id } = action;
        if (render.prepared === null) return;
        const command = startCommand(by, action, render.prepared);
        const headers = await traces.of(render.id);
        const appended = await append('render-commands', worker_id, command, { headers, signal });
        if (appended !== null) turn([{ tag: 'command_sent', render_id: render.id, attempt_id }]);
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

  const onStatus = (read: readonly ReadStatus[]): void => {
    for (const { seen, trace } of read) {
      waits.seen(seen.render);
      if (isFinal(seen.render.status)) traces.over(seen.render.id);
      else traces.seen(seen.render.id, trace);
    }
    turn(read.map(({ seen }) => seen));
  };

  const sendHeartbeat = async (): Promise<void> => {
    beat += 1;
    const number = beat;
    sentAt.set(number, clock.monotonic());
    sentAt.delete(number - HEARTBEATS_REMEMBERED);
    const { dispatcher_id } = deps;
    await records.append('worker-heartbeats', dispatcher_id, {
      type: 'DispatcherBeat',
      meta: by(null, null),
      dispatcher_id,
      beat: number,
      set_aside: [...setAside(core.state().streaks, MAX_SET_ASIDE, clock.monotonic())],
    });
  };

  const load = async (group: string) => {
    await deps.requireCaughtUp();
    const partitions = await records.log.partitions('render-status');
    const loaded = (seen: readonly SeenRender[]): void => {
      for (const { render, offset } of seen) traces.loaded(render.id, offset);
      turn(seen);
    };
    const readAgain = async (partition: number): Promise<void> => {
      for await (const open of renders.all())
        loaded(open.filter(({ render }) => partitionOfKey(render.id, partitions) === partition));
      await renders.requireFolded(reader.published());
    };
    const reader = await statusReader(deps, group, onStatus, readAgain);
    // The read model is now at or past the reader's start position, so no record is missed between the two.
    await renders.requireFolded(reader.published());
    const waiting: Render[] = [];
    for await (const open of renders.all()) {
      if (signal.aborted) return null;
      loaded(open);
      for (const { render } of open) if (render.attempts.length === 0) waiting.push(render);
    }
    // Checks again, because the store may have been restored from a backup meanwhile.
    await renders.requireFolded(reader.published());
    waits.loaded(waiting);
    const subscription = await reader.start();
    turn([{ tag: 'loaded' }]);
    logger.info({ open_renders: core.state().renders.size }, 'dispatching');
    return subscription;
  };

  const begun = retry(() => load(`${deps.dispatcher_id}-${mintUlid()}`), {
    clock,
    signal,
    onFailure: (error) => warn({ error }, 'dispatching could not start; trying again'),
  });
  begun.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

  const endTicks = clock.every(TICK_MS, decide);
  const endHeartbeats = clock.every(HEARTBEAT_EVERY_MS, () => {
    sendHeartbeat().catch((error: unknown) => warn({ error }, 'a heartbeat was not sent'));
  });

  return {
    onHeartbeats: (heartbeats) => {
      turn(
        heartbeats.flatMap((one): readonly Observation[] => {
          if (one.type === 'WorkerBeat') return [{ tag: 'worker_heartbeat', beat: one }];
          const sent_at = one.dispatcher_id === deps.dispatcher_id ? sentAt.get(one.beat) : undefined;
          return sent_at === undefined ? [] : [{ tag: 'own_heartbeat', sent_at }];
        }),
      );
    },
    state: core.state,
    stop: async () => {
      life.abort();
      cancelTurn?.();
      endTicks();
      endHeartbeats();
      const subscription = await begun.catch(() => null);
      await subscription?.stop();
    },
  };
};
