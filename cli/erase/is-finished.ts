import { setTimeout as wait } from 'node:timers/promises';
import type { ErasureResult } from '../../catalogue/erasures.ts';
import { isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import { isStoreUnavailable } from '../../platform/read-store/store-away.ts';
import type { CommandContext } from '../commands/command.ts';

const LOOK_EVERY_MS = 500;

/**
 * Waits without a limit, also while the store or Blob is unavailable. Ctrl-C ends the wait, but not the erasure.
 *
 * @param look returns one line of progress, and null when everything is erased
 */
export const waitUntilErased = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  look: () => Promise<string | null>,
): Promise<boolean> => {
  for (let lastReported: string | null = null; ; ) {
    const line = await look().catch((error: unknown) => {
      if (isStoreUnavailable(error) || isBlobStoreUnavailable(error))
        return `the progress of ${id} cannot be read; retrying`;
      throw error;
    });
    if (line === null) return true;
    if (stop.aborted) return false;
    if (line !== lastReported) stderr.write(`${line}\n`);
    lastReported = line;
    await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
};

export type ErasureAnswer = {
  readonly id: string;
  readonly repeated?: true;
  readonly rest: 'erased' | 'being_erased';
};

export const waitForErasureAnswer = async (
  context: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  { repeated }: ErasureResult,
  look: () => Promise<string | null>,
): Promise<ErasureAnswer> => {
  const rest = (await waitUntilErased(context, id, look)) ? 'erased' : 'being_erased';
  return { id, ...(repeated && { repeated }), rest };
};
