import type { DispatchLimits } from '../../domain/dispatch/decide.ts';
import type { DispatchAction, Observation } from '../../domain/dispatch/dispatch.ts';
import { createDispatcher } from '../../domain/dispatch/dispatcher.ts';

const LIMITS: DispatchLimits = { account_cap: 100, environment_timeout_ms: 86_400_000 };

export const dispatcherUnderTest = (limits: DispatchLimits = LIMITS) => {
  let minted = 0;
  let beat_at = 0;
  const dispatcher = createDispatcher(limits, () => {
    minted += 1;
    return `att_${minted}`;
  });
  const at = (now: number, ...observations: readonly Observation[]): readonly DispatchAction[] => {
    dispatcher.observe(observations, now);
    return dispatcher.decide(now);
  };
  return {
    at,
    pass: (until: number, also: (now: number) => readonly Observation[] = () => []): readonly DispatchAction[] => {
      const actions: DispatchAction[] = [];
      for (beat_at = Math.max(beat_at, 0); beat_at <= until; beat_at += 2_000) {
        actions.push(...at(beat_at, { tag: 'own_heartbeat', sent_at: beat_at }, ...also(beat_at)));
      }
      return actions;
    },
    skipTo: (now: number) => {
      beat_at = now;
    },
    state: dispatcher.state,
  };
};

export const tags = (actions: readonly DispatchAction[]): readonly string[] => actions.map(({ tag }) => tag);
