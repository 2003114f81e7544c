import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Seal } from '../../domain/event/seal.ts';
import { keyTreePath } from '../../schemas/blobs/paths.ts';
import { NONCE_BYTES, type SealContext, sealBox } from '../../schemas/seal/box.ts';
import {
  encodeKeyTree,
  includesTree,
  KEY_BYTES,
  type KeyTree,
  LEAF_COUNT,
  newTree,
  takeFirstLeaf,
} from '../../schemas/seal/key-tree.ts';
import { encodeSealedText, type SealedText } from '../../schemas/seal/plain-text.ts';
import { BlobFault } from '../blob-store/blob-store.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';
import { mintUlid } from '../identity/mint-ulid.ts';
import type { Clock } from '../process/clock.ts';
import { readKeyTree } from './read-key-tree.ts';
import { MAX_TREE_AGE_MS } from './tree-age.ts';

export type Sealer = {
  /**
   * Encrypts the text with the next leaf of the account's tree. Creates the tree in Blob first if the process has none.
   * Rejects with `BlobFault`; the caller must then not append the record.
   */
  readonly seal: (record: Omit<SealContext, 'tree' | 'leaf'>, text: SealedText) => Promise<Seal>;
};

/** A process begins another tree after this time, so that few renders share a tree with much older ones. */
const MAX_WRITE_MS = 24 * 60 * 60_000;
/** From this leaf on, the next tree is created ahead, so that no request waits for it. */
const CREATE_AHEAD_LEAF = Math.floor(0.9 * LEAF_COUNT);
const MAX_ACCOUNTS = 10_000;
const MAX_CREATE_TRIES = 3;

type WriterTree = {
  readonly tree: string;
  readonly path: string;
  readonly created_at: number;
  /** When the last read began that found the tree in Blob. */
  checked_at: number;
  /** The unused leaves. The process forgets the keys of all others. */
  unused: KeyTree;
};

/** Only one process writes with a tree, so two processes never use one leaf. */
type AccountTrees = {
  current: WriterTree | null;
  next: WriterTree | null;
  creating: Promise<void> | null;
  checking: Promise<void> | null;
};

type SealerDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'create' | 'read'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Reports that a tree could not be created ahead. A later request tries again. */
  readonly onFailure: (error: unknown) => void;
  readonly max_accounts?: number;
};

export const createSealer = (deps: SealerDependencies): Sealer => {
  const { blobs, clock, onFailure, max_accounts = MAX_ACCOUNTS } = deps;
  // An evicted account begins another tree. A request that is under way continues with the evicted entry.
  const accounts = new LRUCache<string, AccountTrees>({
    max: max_accounts,
    memoMethod: () => ({ current: null, next: null, creating: null, checking: null }),
  });

  const createTree = async (account_id: string): Promise<WriterTree> => {
    const began = clock.monotonic();
    const tree = mintUlid(clock.now());
    const path = keyTreePath(account_id, tree);
    if (path === null) throw new TypeError(`the account id ${account_id} cannot be part of a path`);
    const unused = newTree(randomBytes(KEY_BYTES));
    if (!(await blobs.create(path, encodeKeyTree(unused))))
      throw new BlobFault('unavailable', path, `the blob store refused to create ${path}`);
    return { tree, path, created_at: began, checked_at: began, unused };
  };

  /** Each try has another path, because the failed one may have created its blob. */
  const newWriterTree = async (account_id: string): Promise<WriterTree> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await createTree(account_id);
      } catch (error) {
        const is_final = !(error instanceof BlobFault) || error.tag !== 'unavailable' || tries === MAX_CREATE_TRIES;
        if (is_final) throw error;
      }
    }
  };

  const createNext = (account_id: string, account: AccountTrees): Promise<void> => {
    account.creating ??= newWriterTree(account_id)
      .then((created) => {
        account.next = created;
      })
      .finally(() => {
        account.creating = null;
      });
    return account.creating;
  };

  const isUsable = (writer: WriterTree | null): writer is WriterTree =>
    writer !== null && writer.unused.nodes.length > 0 && clock.monotonic() - writer.created_at < MAX_WRITE_MS;

  const usableTree = (account: AccountTrees): WriterTree | null => {
    if (isUsable(account.current)) return account.current;
    account.current = isUsable(account.next) ? account.next : null;
    account.next = null;
    return account.current;
  };

  const hasUnusedLeaves = async ({ path, unused }: WriterTree): Promise<boolean> => {
    try {
      const stored = await readKeyTree(blobs, path);
      return stored !== null && includesTree(stored.tree, unused);
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return false;
      throw error;
    }
  };

  /** A lost tree is never written again from memory: this would bring back what an erasure or a restore removed. */
  const check = (account: AccountTrees, writer: WriterTree): Promise<void> => {
    const checkNow = async (): Promise<void> => {
      const began = clock.monotonic();
      if (await hasUnusedLeaves(writer)) writer.checked_at = began;
      else if (account.current === writer) account.current = null;
    };
    account.checking ??= checkNow().finally(() => {
      account.checking = null;
    });
    return account.checking;
  };

  /** After each wait, the loop looks at the trees again, because other requests have changed them meanwhile. */
  const takeLeaf = async (account_id: string, account: AccountTrees) => {
    for (;;) {
      const writer = usableTree(account);
      if (writer === null) await createNext(account_id, account);
      else if (clock.monotonic() - writer.checked_at > MAX_TREE_AGE_MS) await check(account, writer);
      else {
        const taken = takeFirstLeaf(writer.unused);
        if (taken === null) throw new Error('a usable tree has no unused leaf');
        writer.unused = taken.rest;
        if (taken.leaf >= CREATE_AHEAD_LEAF && account.next === null && account.creating === null)
          createNext(account_id, account).catch(onFailure);
        return { tree: writer.tree, leaf: taken.leaf, key: taken.key };
      }
    }
  };

  return {
    seal: async ({ type, account_id, project_id, render_id }, text) => {
      const plain = encodeSealedText(text);
      const { tree, leaf, key } = await takeLeaf(account_id, accounts.memo(account_id));
      const context = { type, account_id, project_id, render_id, tree, leaf };
      return { tree, leaf, box: sealBox(key, context, plain, randomBytes(NONCE_BYTES)) };
    },
  };
};
