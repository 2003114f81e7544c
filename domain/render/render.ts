import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';
import { Failure, Output, Prepared } from './events.ts';

/** Only ever moves forward through this list; `failed` can follow any of the first five. */
export const STATUSES = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete', 'failed'] as const;
export const RenderStatus = t.keyof({
  initializing: null,
  ready: null,
  queued: null,
  processing: null,
  finalizing: null,
  complete: null,
  failed: null,
});
export type RenderStatus = t.TypeOf<typeof RenderStatus>;

export const isFinal = (status: RenderStatus): boolean => status === 'complete' || status === 'failed';

/** One try of one worker. `lost` holds the reason once it is lost. */
export const Attempt = t.strict({
  id: t.string,
  n: Integer,
  worker_id: t.string,
  progressed: t.boolean,
  finished: t.boolean,
  lost: nullable(t.string),
});
export type Attempt = t.TypeOf<typeof Attempt>;

/** What the fold knows of a render. Times are append times of the log, milliseconds since the epoch. */
export const Render = t.strict({
  id: t.string,
  fold_version: Integer,
  name: t.string,
  account_id: t.string,
  team_id: t.string,
  project_id: t.string,
  project_version: Integer,
  template_id: nullable(t.string),
  type: t.string,
  created_by: nullable(t.string),
  created_at: Integer,
  /** When the status last changed; null until it has. */
  updated_at: nullable(Integer),
  status: RenderStatus,
  /** Number of transitions so far, creation included. */
  seq: Integer,
  request: nullable(PayloadRef),
  request_hash: nullable(t.string),
  correlation_id: nullable(t.string),
  reserved_credits: Integer,
  prepared: nullable(Prepared),
  /** In order of assignment; only the last can be open. */
  attempts: t.array(Attempt),
  outputs: t.array(Output),
  poster: nullable(Output),
  charged_credits: Integer,
  failure: nullable(Failure),
  /** When it was erased; null until then. */
  erased_at: nullable(Integer),
});
export type Render = t.TypeOf<typeof Render>;

/** A document that was written before renders could be erased has no `erased_at`. */
export const isErased = ({ erased_at }: Pick<Render, 'erased_at'>): boolean => Number.isInteger(erased_at);

/** The attempt that a worker's events are legal for now, if any. */
export const openAttempt = (render: Render): Attempt | null => {
  const last = render.attempts.at(-1);
  return last === undefined || last.lost !== null || isFinal(render.status) ? null : last;
};

/** An accepted change of status. `seq` counts from 1 (creation). */
export const Transition = t.strict({
  seq: Integer,
  from: nullable(RenderStatus),
  to: RenderStatus,
  at: Integer,
});
export type Transition = t.TypeOf<typeof Transition>;
