import { userRest } from '../../catalogue/erasures.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import type { Sessions } from '../../read-models/sessions/sessions.ts';
import { userPrefix } from '../../schemas/blobs/paths.ts';
import { type CarryingParts, openCarryOut } from '../sweeps/carry-out.ts';
import { erasedSweeps } from '../sweeps/erased-sweeps.ts';
import type { Removed } from '../sweeps/progress.ts';
import { removePrefix } from '../sweeps/remove-prefix.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ErasedUserSweepParts = CarryingParts & {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedUsers: ErasedEntities;
  readonly sessions: Pick<Sessions, 'endAllOf'>;
};

/** Takes from erased users what they have: keys, identities, roles, sessions, and what Blob keeps of them. */
export const erasedUserSweeps = (parts: ErasedUserSweepParts): readonly Sweep[] => {
  const { blobs, erasedUsers, sessions, catalogue, warn } = parts;
  const { read_model, clock } = catalogue;
  const carryOut = openCarryOut(parts);

  const finish = async (user: ErasedEntity, signal: AbortSignal): Promise<Removed> => {
    // Neither its sessions nor its address wait for anything, and sessions not for Blob.
    await sessions.endAllOf(user.id);
    const removed = await removePrefix(blobs, userPrefix(user.id), signal, (path, error) =>
      warn({ error, path }, 'an address of an erased user cannot be removed'),
    );
    await carryOut(user, await userRest(read_model, user.id, clock.now()), signal);
    return removed;
  };

  return erasedSweeps({
    ...{ names: ['users_erased_lately', 'erased_users'], kind: 'emails', erased: erasedUsers },
    ...{ finish, clock, warn },
  });
};
