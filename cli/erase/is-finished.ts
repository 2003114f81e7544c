import { setTimeout as wait } from 'node:timers/promises';
import type { ErasedOnce } from '../../catalogue/erasures.ts';
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
      if (isAway(error) || isBlobStoreUnavailable(error)) return `the progress for ${id} cannot be read now; retrying`;
      throw error;
    });
    if (line === null) return true;
    if (stop.aborted) return false;
    if (line !== told) stderr.write(`${line}\n`);
    told = line;
    await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
};

/** Of a user or an account. */
export type ErasedAnswer = {
  readonly id: string;
  readonly repeated?: true;
  /** `being_erased`: `retention` goes on by itself. */
  readonly rest: 'erased' | 'being_erased';
};

/** The answer once {@link isFinished} has waited for what is left. */
export const whenFinished = async (
  context: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  { repeated }: ErasedOnce,
  look: () => Promise<string | null>,
): Promise<ErasedAnswer> => {
  const rest = (await isFinished(context, id, look)) ? 'erased' : 'being_erased';
  return { id, ...(repeated && { repeated }), rest };
};
