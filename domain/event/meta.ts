import * as t from 'io-ts';
import { Integer } from './integer.ts';
import { nullable } from './nullable.ts';

export const Meta = t.strict({
  /** ULID, created by the appending process. */
  event_id: t.string,
  /** The appender's clock, ms since the epoch. It may be wrong, so readers use the log's append time. */
  occurred_at: Integer,
  /** `kind:id`, for example `key:key_01H…`, `user:user_01H…` or `worker:wkr_01H…`. */
  actor: t.string,
  causation_id: nullable(t.string),
  correlation_id: nullable(t.string),
});
export type Meta = t.TypeOf<typeof Meta>;

export type ActorKind = 'key' | 'preparer' | 'dispatcher' | 'worker' | 'operator' | 'user' | 'projector' | 'relay';

export const actor = (kind: ActorKind, id: string): string => `${kind}:${id}`;

export const actorKind = (value: string): string => value.split(':', 1)[0] ?? '';

/** Callers of renderctl choose the operator's name without a check. */
export const isUnverifiedActor = (value: string): boolean => actorKind(value) === 'operator';

export const actorText = (value: string): string => (isUnverifiedActor(value) ? `${value} (claimed)` : value);

export const keyOfActor = (value: string): string | null =>
  actorKind(value) === 'key' ? value.slice('key:'.length) : null;

export const userOfActor = (value: string): string | null =>
  actorKind(value) === 'user' ? value.slice('user:'.length) : null;
