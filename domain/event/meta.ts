import * as t from 'io-ts';
import { Integer } from './integer.ts';
import { nullable } from './nullable.ts';

/** Members of every record in every topic. */
export const Meta = t.strict({
  /** ULID of the appending process. */
  event_id: t.string,
  /** The appender's clock, milliseconds since the epoch. Readers trust the log's append time instead. */
  occurred_at: Integer,
  /** The actor as `kind:id`, for example `key:key_01H…`, `user:user_01H…` or `worker:wkr_01H…`. */
  actor: t.string,
  /** The `event_id` of the record that caused this one. */
  causation_id: nullable(t.string),
  /** The request or operation that started the chain of records. */
  correlation_id: nullable(t.string),
});
export type Meta = t.TypeOf<typeof Meta>;

export type ActorKind = 'key' | 'preparer' | 'dispatcher' | 'worker' | 'operator' | 'user' | 'projector' | 'relay';

export const actor = (kind: ActorKind, id: string): string => `${kind}:${id}`;

/** The kind in an actor string: the text before the first colon. */
export const actorKind = (value: string): string => value.split(':', 1)[0] ?? '';

/** True if the actor's identity is only claimed by the caller. */
export const isClaimed = (value: string): boolean => actorKind(value) === 'operator';

/**
 * The text of an actor for people. An operator's identity is a claim of the caller of renderctl, without any check, so
 * the text marks it.
 */
export const actorText = (value: string): string => (isClaimed(value) ? `${value} (claimed)` : value);

/** The user id in an actor string; null for other actors. */
export const userOfActor = (value: string): string | null =>
  actorKind(value) === 'user' ? value.slice('user:'.length) : null;
