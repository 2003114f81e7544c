import { userCleanupCommands } from '../../catalogue/erasures.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { ErasedEntities } from '../../read-models/catalogue/erased-entities.ts';
import type { Sessions } from '../../read-models/sessions/sessions.ts';
import { userPrefix } from '../../schemas/blobs/paths.ts';
import { type CatalogueCommandRunnerDependencies, createCatalogueCommandRunner } from '../sweeps/carry-out.ts';
import { type ErasedSweeps, erasedSweeps } from '../sweeps/erased-sweeps.ts';
import type { EraseStep } from '../sweeps/open-erasures.ts';
import { removePage } from '../sweeps/remove-page.ts';

export type ErasedUserSweepDependencies = CatalogueCommandRunnerDependencies & {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedUsers: ErasedEntities;
  readonly sessions: Pick<Sessions, 'endAllOf'>;
};

export const erasedUserSweeps = (parts: ErasedUserSweepDependencies): ErasedSweeps => {
  const { blobs, erasedUsers, sessions, catalogue, warn } = parts;
  const { read_model, clock } = catalogue;
  const carryOut = createCatalogueCommandRunner(parts);

  const step: EraseStep = async (user, from, signal) => {
    // Ends the sessions first, because this need not wait for the blob store.
    await sessions.endAllOf(user.id);
    const done = await removePage(blobs, userPrefix(user.id), from, signal, (path, error) =>
      warn({ error, path }, 'an address of an erased user cannot be removed'),
    );
    await carryOut(user, await userCleanupCommands(read_model, user.id, clock.now()), signal);
    return done;
  };

  return erasedSweeps({
    ...{ names: ['users_erased_lately', 'erased_users'], kind: 'emails', erased: erasedUsers },
    ...{ step, clock, warn },
  });
};
