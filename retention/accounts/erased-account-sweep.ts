import { accountCleanupCommands, countRemainingEntities, hasNoRemainingEntities } from '../../catalogue/erasures.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { type CatchUp, rejectingWhileBehind } from '../../read-models/catch-up.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';
import { accountPrefix } from '../../schemas/blobs/paths.ts';
import { type CatalogueCommandRunnerDependencies, createCatalogueCommandRunner } from '../sweeps/carry-out.ts';
import { type ErasedSweeps, erasedSweeps } from '../sweeps/erased-sweeps.ts';
import type { EraseStep } from '../sweeps/open-erasures.ts';
import { NOTHING_REMOVED } from '../sweeps/progress.ts';
import { removePage } from '../sweeps/remove-page.ts';

export type ErasedAccountSweepDependencies = CatalogueCommandRunnerDependencies & {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedAccounts: ErasedEntities;
  readonly renders: Pick<AccountRenders, 'countOpen'>;
  /**
   * A restored store may lack running renders, so the account's blobs are not deleted until the store has caught up.
   */
  readonly catchUp: CatchUp;
};

const CHANGES_OF_A_STEP = 200;
/** The position of a step that changes the catalogue. Other steps have the position of a page of files. */
const CHANGES = 'changes';

/**
 * Completes the erasure of accounts; the project sweep erases their renders. The account's blobs are deleted when no
 * render is running, because a running render would store parts.
 */
export const erasedAccountSweeps = (parts: ErasedAccountSweepDependencies): ErasedSweeps => {
  const { blobs, erasedAccounts, catalogue, warn } = parts;
  const countOpen = rejectingWhileBehind(parts.catchUp, parts.renders.countOpen);
  const { read_model, clock } = catalogue;
  const carryOut = createCatalogueCommandRunner(parts);

  /**
   * Removes the account's entities. `some`: a repeat continues with the others. `refused`: all changes are made, except
   * the refused ones.
   */
  const endSome = async (account: ErasedEntity, signal: AbortSignal): Promise<'all' | 'some' | 'refused'> => {
    const now = clock.now();
    if (hasNoRemainingEntities(await countRemainingEntities(read_model, account.id, now))) return 'all';
    let [has_all, count] = [true, 0];
    for await (const commands of accountCleanupCommands(read_model, account.id, now)) {
      has_all = (await carryOut(account, commands, signal)) && has_all;
      count += commands.length;
      // After a refused change, the step makes all others before it ends: a repeat would begin with the refused ones
      // again.
      if (has_all && count >= CHANGES_OF_A_STEP) return 'some';
    }
    return has_all ? 'all' : 'refused';
  };

  const step: EraseStep = async (account, from, signal) => {
    if (from === null || from === CHANGES) {
      const ended = await endSome(account, signal);
      if (ended !== 'all') return { next: ended === 'some' ? CHANGES : null, removed: NOTHING_REMOVED };
      const { open } = await countOpen(account.id, 1);
      if (open > 0) return { next: null, removed: NOTHING_REMOVED };
    }
    const page = from === null || from === CHANGES ? null : from;
    return await removePage(blobs, accountPrefix(account.id), page, signal, (path, error) =>
      warn({ error, path }, 'a file of an erased account cannot be removed'),
    );
  };

  return erasedSweeps({
    ...{ names: ['accounts_erased_lately', 'erased_accounts'], kind: 'accounts', erased: erasedAccounts },
    ...{ step, clock, warn },
  });
};
