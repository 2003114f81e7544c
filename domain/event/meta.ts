import * as t from 'io-ts';
import { Integer } from './integer.ts';
import { nullable } from './nullable.ts';

/** What every record of every topic carries. */
export const Meta = t.strict({
  /** ULID, minted by the process that appends. */
  event_id: t.string,
  /** The appender's clock, milliseconds since the epoch. The log's append time is the one that readers trust. */
  occurred_at: Integer,
  /** Who, as `kind:id`, for example `key:key_01H…`, `user:user_01H…` or `worker:wkr_01H…`. */
  actor: t.string,
  /** `event_id` of the record that led to this one. */
  causation_id: nullable(t.string),
  /** The request or operation that it all began with. */
  correlation_id: nullable(t.string),
});
export type Meta = t.TypeOf<typeof Meta>;

export type ActorKind = 'key' | 'preparer' | 'dispatcher' | 'worker' | 'operator' | 'user' | 'projector' | 'relay';

export const actor = (kind: ActorKind, id: string): string => `${kind}:${id}`;

/** The kind in an actor string; whatever stands before the first colon. */
export const actorKind = (value: string): string => value.split(':', 1)[0] ?? '';

/** Whether only the caller says who it was. */
export const isClaimed = (value: string): boolean => actorKind(value) === 'operator';

/**
 * What a person is shown of an actor. The role of an operator is what the caller of renderctl says: nothing checks it, so it
 * is marked wherever it is shown.
 */
export const actorText = (value: string): string => (isClaimed(value) ? `${value} (claimed)` : value);

/** The user in an actor string; null where it is no person's. */
export const userOfActor = (value: string): string | null =>
  actorKind(value) === 'user' ? value.slice('user:'.length) : null;
