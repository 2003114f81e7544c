import { ulid } from 'ulid';
import type { Meta } from '../domain/event/meta.ts';

/** The type prefix of an id; what follows is a ULID. */
export type IdPrefix = 'acc' | 'team' | 'user' | 'key' | 'proj' | 'grant' | 'whe';

export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;

/** `meta` of an event that an operator appends. @param actor as `operator:…`; a role, never a person's name */
export const metaOf = (actor: string): Meta => ({
  event_id: ulid(),
  occurred_at: Date.now(),
  actor,
  causation_id: null,
  correlation_id: null,
});
