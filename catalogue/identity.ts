import { ulid } from 'ulid';
import type { Meta } from '../domain/event/meta.ts';
import type { Clock } from '../platform/process/clock.ts';

/** The type prefix of an id; what follows is a ULID. */
export type IdPrefix = 'acc' | 'team' | 'user' | 'key' | 'proj' | 'grant' | 'whe' | 'inv';

export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;

/** Who appends: by hand, as `operator:…`: a role, never a person's name; or a user, as `user:…`. And when. */
export type Operator = {
  readonly actor: string;
  readonly clock: Pick<Clock, 'now'>;
  /** The event that the change follows from; left out where somebody asks for it. */
  readonly causation_id?: string;
};

/** The `meta` of an event of theirs. */
export const metaOf = ({ actor, clock, causation_id }: Operator): Meta => ({
  event_id: ulid(),
  occurred_at: clock.now(),
  actor,
  causation_id: causation_id ?? null,
  correlation_id: null,
});
