import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { FoldedEmails } from '../../read-models/catalogue/user-emails.ts';
import { USERS_PATH, userOfEmailAt } from '../../schemas/blobs/paths.ts';
import { requestSignal } from '../sweeps/list-pages.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type UserSweepParts = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  /** Offset of the next event of the catalogue, asked for now. */
  readonly catalogueEnd: () => Promise<number>;
  readonly foldedEmails: (user_ids: readonly string[]) => Promise<FoldedEmails>;
  /** Of what no user refers to, ms. */
  readonly leftovers_ms: number;
  readonly clock: Clock;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;

/**
 * E-mail addresses that no user refers to: an event that was never appended, or one that changed the address where the
 * one of before could not be deleted. What was stored an age ago has its event in the log, if there is one, and the
 * catalogue must be folded to the log's end of now.
 */
export const userSweep = ({ blobs, catalogueEnd, foldedEmails, leftovers_ms, clock, warn }: UserSweepParts): Sweep => ({
  name: 'users',
  every_ms: DAY_MS,
  page: async (from, signal) => {
    const { found, next } = await blobs.list(USERS_PATH, from, requestSignal(signal));
    const before = clock.now() - leftovers_ms;
    const old = found.flatMap((blob) => {
      const user_id = userOfEmailAt(blob.path);
      return user_id === null || blob.stored_at > before ? [] : [{ ...blob, user_id }];
    });
    if (old.length === 0) return { next, removed: {} };
    const end = await catalogueEnd();
    const emails = await foldedEmails([...new Set(old.map(({ user_id }) => user_id))]);
    if (emails.next < end) throw new Error(`the catalogue is folded up to ${emails.next} of ${end}`);
    const going = old.filter(({ path, user_id }) => emails.paths.get(user_id) !== path);
    const removed = await removeBlobs(blobs, going, signal, (path, error) =>
      warn({ error, path }, 'an e-mail address that no user has cannot be removed'),
    );
    return { next, removed: { emails: removed } };
  },
});
