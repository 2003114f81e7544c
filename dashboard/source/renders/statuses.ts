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

/** How often what still changes is asked for. */
export const REFETCH_MS = 2_000;
