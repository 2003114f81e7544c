import { ulid } from 'ulid';
import type { Meta } from '../domain/event/meta.ts';
import type { Clock } from '../platform/process/clock.ts';

export type IdPrefix = 'acc' | 'team' | 'user' | 'key' | 'proj' | 'grant' | 'whe' | 'inv';

export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;

/** The actor is `operator:…` (a role, never a person's name) for a manual change, or `user:…`. */
export type Operator = {
  readonly actor: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly causation_id?: string;
};

export const newEventMeta = ({ actor, clock, causation_id }: Operator): Meta => ({
  event_id: ulid(),
  occurred_at: clock.now(),
  actor,
  causation_id: causation_id ?? null,
  correlation_id: null,
});
