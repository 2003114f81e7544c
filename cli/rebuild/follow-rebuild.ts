import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { isStoreUnavailable } from '../../platform/read-store/store-away.ts';
import type { RebuildProgress } from '../../read-models/rebuilds.ts';
import type { CliFault } from '../fault.ts';
import type { RebuildDisplay } from './rebuild-display.ts';

const LOOK_EVERY_MS = 250;
/** An outage of the store that lasts longer than this ends the command. */
const AWAY_MS = 30_000;
/** A running projector starts the rebuild within seconds. After this time, the command says that none has. */
const TAKEN_UP_MS = 15_000;

export type FollowRebuildOptions = {
  readonly display: RebuildDisplay;
  readonly say: (line: string) => void;
  /** On Ctrl-C, following stops and the rebuild continues. */
  readonly stop: AbortSignal;
};

export type FollowedRebuild = {
  readonly what: string;
  readonly maker: string;
  readonly progress: () => Promise<RebuildProgress>;
};

/**
 * Follows a rebuild until the new generation serves.
 *
 * @returns the number of folded records; 0 if the rebuild had already ended
 */
export const followRebuild = async (
  { what, maker, progress: ask }: FollowedRebuild,
  { display, say, stop }: FollowRebuildOptions,
): Promise<E.Either<CliFault, { readonly records: number }>> => {
  const began = SYSTEM_CLOCK.monotonic();
  let [seen_at, records, is_told] = [began, 0, false];

  const look = async (): Promise<RebuildProgress | null> => {
    try {
      const progress = await ask();
      seen_at = SYSTEM_CLOCK.monotonic();
      return progress;
    } catch (error) {
      if (!isStoreUnavailable(error) || SYSTEM_CLOCK.monotonic() - seen_at > AWAY_MS) throw error;
      return null;
    }
  };

  try {
    for (;;) {
      const progress = await look();
      if (progress?.tag === 'serves') return E.right({ records });
      if (progress?.tag === 'given_up') {
        const message = `the rebuild of the ${what} was stopped, or a new version made it unnecessary`;
        return E.left({ tag: 'refused', reason: 'given_up', message });
      }
      if (progress?.tag === 'folding') {
        records = Math.max(records, progress.folded);
        if (progress.is_begun) display.show(progress.folded, progress.of);
        else if (!is_told && SYSTEM_CLOCK.monotonic() - began > TAKEN_UP_MS) {
          say(`no ${maker} has started the rebuild: is a ${maker} of this version running?`);
          is_told = true;
        }
      }
      await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) return E.left({ tag: 'interrupted' });
    }
  } finally {
    display.stop();
  }
};
