import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { PayloadRef } from '../event/payload.ts';

/** Sent after the assignment was read back as accepted. A worker ignores a repeat for an attempt that it knows. */
export const StartAttempt = t.strict({
  type: t.literal('StartAttempt'),
  meta: Meta,
  worker_id: t.string,
  render_id: t.string,
  attempt_id: t.string,
  n: Integer,
  account_id: t.string,
  project_id: t.string,
  composition: PayloadRef,
  frames: Integer,
});
export type StartAttempt = t.TypeOf<typeof StartAttempt>;

export const STOP_REASONS = { over: 'the attempt is over', cancelled: 'cancelled' } as const;

export const StopAttempt = t.strict({
  type: t.literal('StopAttempt'),
  meta: Meta,
  worker_id: t.string,
  render_id: t.string,
  attempt_id: t.string,
  reason: t.string,
});
export type StopAttempt = t.TypeOf<typeof StopAttempt>;

export type RenderCommand = StartAttempt | StopAttempt;
