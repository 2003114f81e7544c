import { setTimeout as wait } from 'node:timers/promises';
import { isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import { isAway } from '../../platform/read-store/store-away.ts';
import type { CommandContext } from '../commands/command.ts';

const LOOK_EVERY_MS = 500;

/**
 * Waits as long as it takes, also while the store or Blob is away; Ctrl-C ends the waiting, and nothing else.
 *
 * @param look one line of progress; null once nothing is left
 */
export const isFinished = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  look: () => Promise<string | null>,
): Promise<boolean> => {
  for (let told: string | null = null; ; ) {
    const line = await look().catch((error: unknown) => {
      if (isAway(error) || isBlobStoreUnavailable(error))
        return `what is left of ${id} cannot be seen now; looking again`;
      throw error;
    });
    if (line === null) return true;
    if (stop.aborted) return false;
    if (line !== told) stderr.write(`${line}\n`);
    told = line;
    await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
};
