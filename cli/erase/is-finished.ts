import { setTimeout as wait } from 'node:timers/promises';
import type { ErasedOnce } from '../../catalogue/erasures.ts';
import { isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import { isAway } from '../../platform/read-store/store-away.ts';
import type { CommandContext } from '../commands/command.ts';

const LOOK_EVERY_MS = 500;

/**
 * Waits without a limit, even while the store or Blob is unavailable. Ctrl-C ends only the wait.
 *
 * @param look one line of progress; null once everything is erased
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

/** The answer for an erased user or account. */
export type ErasedAnswer = {
  readonly id: string;
  readonly repeated?: true;
  /** `being_erased`: the process `retention` continues. */
  readonly rest: 'erased' | 'being_erased';
};

/** Waits with {@link isFinished} and returns the answer. */
export const whenFinished = async (
  context: Pick<CommandContext, 'stderr' | 'stop'>,
  id: string,
  { repeated }: ErasedOnce,
  look: () => Promise<string | null>,
): Promise<ErasedAnswer> => {
  const rest = (await isFinished(context, id, look)) ? 'erased' : 'being_erased';
  return { id, ...(repeated && { repeated }), rest };
};
