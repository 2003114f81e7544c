import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';
import { SealKey } from '../event/seal.ts';
import { Failure, Output, PreparedRender } from './events.ts';

/** The status only moves forward through this list; `failed` can follow any of the first five. */
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

export const Attempt = t.strict({
  id: t.string,
  n: Integer,
  worker_id: t.string,
  progressed: t.boolean,
  finished: t.boolean,
  lost: nullable(t.string),
});
export type Attempt = t.TypeOf<typeof Attempt>;

/** The state of a render in the fold. Times are append times, ms since the epoch. */
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
  /** When the status last changed; null before the first change. */
  updated_at: nullable(Integer),
  status: RenderStatus,
  /** Number of transitions so far, including the creation. */
  seq: Integer,
  request: nullable(PayloadRef),
  request_hash: nullable(t.string),
  correlation_id: nullable(t.string),
  reserved_credits: Integer,
  prepared: nullable(PreparedRender),
  /** In order of assignment; only the last can be open. */
  attempts: t.array(Attempt),
  outputs: t.array(Output),
  poster: nullable(Output),
  charged_credits: Integer,
  failure: nullable(Failure),
  erased_at: nullable(Integer),
  /** The key of the request's sealed text. It remains after the erasure, which punctures this key. */
  sealed: nullable(SealKey),
});
export type Render = t.TypeOf<typeof Render>;

/** Documents older than erasure have no `erased_at`. */
export const isErased = ({ erased_at }: Pick<Render, 'erased_at'>): boolean => Number.isInteger(erased_at);

/** The attempt whose worker may append events now; null if none is open. */
export const openAttempt = (render: Render): Attempt | null => {
  const last = render.attempts.at(-1);
  return last === undefined || last.lost !== null || isFinal(render.status) ? null : last;
};

export const Transition = t.strict({
  seq: Integer,
  from: nullable(RenderStatus),
  to: RenderStatus,
  at: Integer,
});
export type Transition = t.TypeOf<typeof Transition>;
