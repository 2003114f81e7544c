import type { Schemas } from '../api/client.ts';

export type Status = Schemas['RenderStatus'];

export const STATUSES = [
  'initializing',
  'ready',
  'queued',
  'processing',
  'finalizing',
  'complete',
  'failed',
] as const satisfies readonly Status[];

export const isFinal = (status: Status): boolean => status === 'complete' || status === 'failed';

/** The refetch interval of data that still changes. */
export const REFETCH_MS = 2_000;
