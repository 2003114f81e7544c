import { accountCleanupCommands, countRemainingEntities, hasNoRemainingEntities } from '../../catalogue/erasures.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { type CatchUp, rejectingWhileBehind } from '../../read-models/catch-up.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';
import type { KnownTrees } from '../../read-models/retention/key-trees.ts';
import type { StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { accountPrefix, erasedAccountTreePath, keyTreesPath } from '../../schemas/blobs/paths.ts';
import { encodeKeyTree } from '../../schemas/seal/key-tree.ts';
import { type CatalogueCommandRunnerDependencies, createCatalogueCommandRunner } from '../sweeps/carry-out.ts';
import { type ErasedSweeps, erasedSweeps } from '../sweeps/erased-sweeps.ts';
import { requestSignal } from '../sweeps/list-pages.ts';
import type { EraseStep, ErasureStep } from '../sweeps/open-erasures.ts';
import { addRemoved, NOTHING_REMOVED } from '../sweeps/progress.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';

export type ErasedAccountSweepDependencies = CatalogueCommandRunnerDependencies & {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly key_blobs: Pick<VersionedBlobs, 'create'>;
  readonly erasedAccounts: ErasedEntities;
  readonly renders: Pick<AccountRenders, 'countOpen'>;
  readonly known_trees: Pick<KnownTrees, 'setAccountDeleted'>;
  readonly uploads: Pick<Uploads, 'removeAllOf'>;
  readonly stored_files: Pick<StoredFiles, 'removeAllOf'>;
  /**
   * A restored store may lack running renders, so the account's blobs are not deleted until the store has caught up.
   */
  readonly catchUp: CatchUp;
};

const CHANGES_OF_A_STEP = 200;
const BLOBS_OF_A_STEP = 500;
const NO_KEYS = encodeKeyTree({ write_counter: 0, nodes: [] });
/** The position of a step that changes the catalogue. */
const CHANGES = 'changes';
/** Before the position of a page of key trees. Other steps have the position of a page of files. */
const KEYS = 'keys:';

/**
 * Completes the erasure of accounts; the project sweep erases their renders. The key trees are deleted first, because an
 * account can need many changes, and one of them may be refused. No sealed text of the account can then be read. The
 * other blobs are deleted when no render is running, because a running render would store parts.
 */
export const erasedAccountSweeps = (parts: ErasedAccountSweepDependencies): ErasedSweeps => {
  const { blobs, key_blobs, erasedAccounts, known_trees, uploads, stored_files, catalogue, warn } = parts;
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

  const onFault = (path: string, error: unknown): void =>
    warn({ error, path }, 'a file of an erased account cannot be removed');

  const removeBelow = async (prefix: string, { id }: ErasedEntity, from: string | null, signal: AbortSignal) => {
    const { found, next } = await blobs.list(prefix, from, requestSignal(signal), BLOBS_OF_A_STEP);
    // Before the deletion, so that no reader takes an erased text for a lost one.
    if (found.length > 0) await key_blobs.create(erasedAccountTreePath(id), NO_KEYS);
    return { next, removed: await removeBlobs(blobs, found, signal, onFault), is_empty: found.length === 0 };
  };

  const removeFiles = async (account: ErasedEntity, from: string | null, signal: AbortSignal): Promise<ErasureStep> => {
    const { next, removed } = await removeBelow(accountPrefix(account.id), account, from, signal);
    return { next, removed };
  };

  /** Changes the catalogue, then removes all other files. */
  const removeOthers = async (account: ErasedEntity, signal: AbortSignal): Promise<ErasureStep> => {
    const ended = await endSome(account, signal);
    if (ended !== 'all') return { next: ended === 'some' ? CHANGES : null, removed: NOTHING_REMOVED };
    // Their bytes are below the prefix of the account, which is deleted after the last render.
    await uploads.removeAllOf(account.id);
    await stored_files.removeAllOf(account.id);
    const { open } = await countOpen(account.id, 1);
    return open > 0 ? { next: null, removed: NOTHING_REMOVED } : await removeFiles(account, null, signal);
  };

  const removeKeys = async (account: ErasedEntity, from: string | null, signal: AbortSignal): Promise<ErasureStep> => {
    const { next, removed, is_empty } = await removeBelow(keyTreesPath(account.id), account, from, signal);
    if (next !== null) return { next: `${KEYS}${next}`, removed };
    // Not before the trees are gone: a puncture would take a tree that is known as deleted for a restored one.
    if (from === null && is_empty) await known_trees.setAccountDeleted(account.id);
    const others = await removeOthers(account, signal);
    return { ...others, removed: addRemoved(removed, others.removed) };
  };

  const step: EraseStep = async (account, from, signal) => {
    if (from === null) return await removeKeys(account, null, signal);
    if (from === CHANGES) return await removeOthers(account, signal);
    return from.startsWith(KEYS)
      ? await removeKeys(account, from.slice(KEYS.length), signal)
      : await removeFiles(account, from, signal);
  };

  return erasedSweeps({
    ...{ names: ['accounts_erased_lately', 'erased_accounts'], kind: 'accounts', erased: erasedAccounts },
    ...{ step, clock, warn },
  });
};
