import { setTimeout as wait } from 'node:timers/promises';
import type { ErasedOnce } from '../../catalogue/erasures.ts';
import { isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import { isAway } from '../../platform/read-store/store-away.ts';
import type { CommandContext } from '../commands/command.ts';

const LOOK_EVERY_MS = 500;

/**
 * Waits without a limit, also while the store or Blob is unavailable. Ctrl-C ends the wait, but not the erasure.
 *
 * @param look returns one line of progress, and null when everything is erased
 */
export const isFinished = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  look: () => Promise<string | null>,
): Promise<boolean> => {
  for (let told: string | null = null; ; ) {
    const line = await look().catch((error: unknown) => {
      if (isAway(error) || isBlobStoreUnavailable(error)) return `the progress of ${id} cannot be read; retrying`;
      throw error;
    });
    if (line === null) return true;
    if (stop.aborted) return false;
    if (line !== told) stderr.write(`${line}\n`);
    told = line;
    await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
};

export type ErasedAnswer = {
  readonly id: string;
  readonly repeated?: true;
  readonly rest: 'erased' | 'being_erased';
};

export const whenFinished = async (
  context: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  { repeated }: ErasedOnce,
  look: () => Promise<string | null>,
): Promise<ErasedAnswer> => {
  const rest = (await isFinished(context, id, look)) ? 'erased' : 'being_erased';
  return { id, ...(repeated && { repeated }), rest };
};
