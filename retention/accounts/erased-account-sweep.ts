import { accountRest, isNothing, leftOfAccount } from '../../catalogue/erasures.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';
import { accountPrefix } from '../../schemas/blobs/paths.ts';
import { type CarryingParts, openCarryOut } from '../sweeps/carry-out.ts';
import { erasedSweeps } from '../sweeps/erased-sweeps.ts';
import { NOTHING_REMOVED, type Removed } from '../sweeps/progress.ts';
import { removePrefix } from '../sweeps/remove-prefix.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ErasedAccountSweepParts = CarryingParts & {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedAccounts: ErasedEntities;
  readonly renders: Pick<AccountRenders, 'countOpen'>;
};

/**
 * Ends what erased accounts have: keys, invitations, endpoints, people, projects, whose renders their own sweep erases. Once
 * none of its renders is under way, which would store parts, what Blob keeps for the account goes.
 */
export const erasedAccountSweeps = (parts: ErasedAccountSweepParts): readonly Sweep[] => {
  const { blobs, erasedAccounts, renders, catalogue, warn } = parts;
  const { read_model, clock } = catalogue;
  const carryOut = openCarryOut(parts);

  const haveAllEnded = async (account: ErasedEntity, signal: AbortSignal): Promise<boolean> => {
    const now = clock.now();
    if (isNothing(await leftOfAccount(read_model, account.id, now))) return true;
    let all = true;
    for await (const commands of accountRest(read_model, account.id, now))
      all = (await carryOut(account, commands, signal)) && all;
    return all;
  };

  const finish = async (account: ErasedEntity, signal: AbortSignal): Promise<Removed> => {
    if (!(await haveAllEnded(account, signal))) return NOTHING_REMOVED;
    const { open } = await renders.countOpen(account.id, 1);
    if (open > 0) return NOTHING_REMOVED;
    return await removePrefix(blobs, accountPrefix(account.id), signal, (path, error) =>
      warn({ error, path }, 'a file of an erased account cannot be removed'),
    );
  };

  return erasedSweeps({
    ...{ names: ['accounts_erased_lately', 'erased_accounts'], kind: 'accounts', erased: erasedAccounts },
    ...{ finish, clock, warn },
  });
};
