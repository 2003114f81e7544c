import type { Schemas } from '../api/client.ts';

/** A cancelled render has the status `failed`, but nothing went wrong. */
export const stateWord = ({ status, failed_as }: Pick<Schemas['RenderInShort'], 'status' | 'failed_as'>): string =>
  status === 'failed' && failed_as === 'cancelled' ? 'cancelled' : status;
