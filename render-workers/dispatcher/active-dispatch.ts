import type { DispatchState, Observation } from '../../domain/dispatch/dispatch.ts';
import { createDispatcher } from '../../domain/dispatch/dispatcher.ts';
import type { Heartbeat } from '../../domain/dispatch/heartbeats.ts';
import { isFinal } from '../../domain/render/render.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import { retry } from '../../platform/process/retry.ts';
import type { DispatchDependencies } from './dispatch-dependencies.ts';
import { loadRenders } from './load-renders.ts';
import { ownHeartbeats } from './own-heartbeats.ts';
import { actionPerformer } from './perform-actions.ts';
import { renderTraces } from './render-traces.ts';
import { renderWaits } from './render-waits.ts';
import type { ObservedStatus, RenderObservation } from './status-reader.ts';

const HEARTBEAT_EVERY_MS = 2_000;
/** Backoffs expire and workers fall silent without a new record, so a timer also triggers decisions. */
const TICK_MS = 250;
/** One decision covers all observations within this time. */
const COALESCE_MS = 5;

/** One term as the active dispatcher, from the assignment of the heartbeats' partition to its loss. */
export type ActiveDispatch = {
  readonly onHeartbeats: (heartbeats: readonly Heartbeat[]) => void;
  readonly state: () => DispatchState;
  /** Starts no new actions, and ends the retries of running ones. */
  readonly stop: () => Promise<void>;
};

export const startDispatch = (deps: DispatchDependencies): ActiveDispatch => {
  const { records, limits, logger, clock } = deps;
  const warn = throttledWarn(logger);
  const life = new AbortController();
  const { signal } = life;
  const traces = renderTraces(records.log, clock);
  const waits = renderWaits(deps.waited);
  const core = createDispatcher(limits, () => `att_${mintUlid()}`);
  const heartbeats = ownHeartbeats(deps, core.state);
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

  const perform = actionPerformer({ ...deps, traces, warn, signal, observe: turn });

  const onStatus = (read: readonly ObservedStatus[]): void => {
    for (const { seen, trace } of read) {
      waits.seen(seen.render);
      if (isFinal(seen.render.status)) traces.over(seen.render.id);
      else traces.seen(seen.render.id, trace);
    }
    turn(read.map(({ seen }) => seen));
  };

  const load = async (group: string) => {
    const onLoaded = (seen: readonly RenderObservation[]): void => {
      for (const { render, offset } of seen) traces.loaded(render.id, offset);
      turn(seen);
    };
    const subscription = await loadRenders(deps, group, { onStatus, onLoaded, onWaiting: waits.loaded }, signal);
    if (subscription === null) return null;
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
    heartbeats.send().catch((error: unknown) => warn({ error }, 'a heartbeat was not sent'));
  });

  return {
    onHeartbeats: (read) => {
      turn(
        read.flatMap((one): readonly Observation[] => {
          if (one.type === 'WorkerBeat') return [{ tag: 'worker_heartbeat', beat: one }];
          const sent_at = one.dispatcher_id === deps.dispatcher_id ? heartbeats.sentAt(one.beat) : undefined;
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
