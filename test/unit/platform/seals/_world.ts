import { setImmediate } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { Seal } from '../../../../domain/event/seal.ts';
import { createSealOpener, type SealedRecord } from '../../../../platform/seals/opener.ts';
import { createSealer } from '../../../../platform/seals/sealer.ts';
import { keyTreePath } from '../../../../schemas/blobs/paths.ts';
import { decodeKeyTree, encodeKeyTree, type KeyTree, puncture } from '../../../../schemas/seal/key-tree.ts';
import { memoryBlobs } from '../../../helpers/versioned-blobs.ts';
import { virtualClock } from '../../../helpers/virtual-clock.ts';

export const MINUTE_MS = 60_000;
export const RECORD = {
  type: 'RenderRequested',
  account_id: 'acc_1',
  project_id: 'proj_1',
  render_id: 'rend_1',
} as const;

export const sealedRecord = (sealed: Seal, change: Partial<SealedRecord> = {}): SealedRecord => ({
  ...RECORD,
  sealed,
  ...change,
});

/** Yields to all work that needs no timer. */
export const settle = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await setImmediate();
};

export const sealWorld = (options: { readonly max_accounts?: number; readonly max_trees?: number } = {}) => {
  const memory = memoryBlobs();
  const clock = virtualClock();
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const newSealer = (blobs = memory.blobs) => createSealer({ blobs, clock, onFailure, ...options });
  const { seal } = newSealer();
  const { open } = createSealOpener(memory.blobs, clock, options.max_trees);

  const storedTree = (path: string): KeyTree => {
    const tree = decodeKeyTree(memory.contents.get(path)?.bytes ?? Buffer.alloc(0));
    if (E.isLeft(tree)) throw new Error(tree.left);
    return tree.right;
  };
  const pathOf = ({ tree }: Pick<Seal, 'tree'>, account_id: string = RECORD.account_id): string => {
    const path = keyTreePath(account_id, tree);
    if (path === null) throw new Error(`${tree} has no path`);
    return path;
  };
  return {
    ...{ memory, clock, failures, newSealer, seal, open, pathOf, storedTree },
    sealName: (name: string = 'Spring sale', account_id: string = RECORD.account_id) =>
      seal({ ...RECORD, account_id }, { name }),
    /** As retention does. */
    puncture: async (sealed: Pick<Seal, 'tree' | 'leaf'>): Promise<void> => {
      const path = pathOf(sealed);
      const version = memory.contents.get(path)?.version ?? '';
      await memory.blobs.replace(path, encodeKeyTree(puncture(storedTree(path), [sealed.leaf])), version);
    },
    countOf: (operation: string) => memory.operations.filter((one) => one.startsWith(`${operation} `)).length,
  };
};
