import { isLeft } from 'fp-ts/lib/Either.js';
import { verifyCheckpointByChain } from '../../platform/proof-log/heads-log.ts';
import { loadKeyChain } from '../../platform/proof-log/key-chain.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import { headsTile } from '../../platform/proof-log/stored-tiles.ts';
import { EMPTY_ROOT } from '../../proofs/merkle/hashes.ts';
import { rangeRoot } from '../../proofs/merkle/proofs.ts';
import { verifierKeyText } from '../../proofs/notes/keys.ts';
import { isSameKey, type KeyChain } from '../../proofs/notes/succession.ts';
import { tiledNodes } from '../../proofs/tiles/tiled-nodes.ts';
import type { StoredTree } from '../../read-models/notary/notary-notes.ts';
import type { NotaryDependencies } from '../notary-dependencies.ts';

export type TreeHead = { readonly size: number; readonly root: Buffer };

export type NotaryTop = TreeHead & {
  /** Version of the checkpoint; null if there is no checkpoint. */
  readonly version: string | null;
  /**
   * A tree that is stored in MongoDB but not published yet; null without one. No other tree of its size may be signed.
   */
  readonly owed: TreeHead | null;
};

type Checkpoint = TreeHead & Pick<NotaryTop, 'version'>;

export const toStoredTree = ({ size, root }: TreeHead): StoredTree => ({ size, root: root.toString('base64') });

const NOTHING: TreeHead = { size: 0, root: EMPTY_ROOT };

/**
 * The signing key and the former keys, with their successors. `renderctl notary hand-over` stores the succession
 * before it replaces the checkpoint. A step that read older keys can therefore no longer replace the checkpoint.
 */
const readKeys = async ({ blobs, paths, signer, former }: NotaryDependencies): Promise<KeyChain> => {
  const chain = await loadKeyChain({ blobs, paths }, [signer, ...former]);
  if (isLeft(chain)) throw new NotExtended(chain.left);
  const handed_over = chain.right.successions.find(({ from }) => isSameKey(from, signer));
  if (handed_over === undefined) return chain.right;
  throw new NotExtended(
    `the key of this notary, ${verifierKeyText(signer)}, handed over at ${handed_over.size} entries to ` +
      `${verifierKeyText(handed_over.to)}: start the notary with that one as NOTARY_KEY`,
  );
};

export const readCheckpoint = async (deps: NotaryDependencies): Promise<Checkpoint> => {
  const { blobs, paths, origin } = deps;
  const found = await blobs.read(paths.checkpoint);
  if (found === null) return { ...NOTHING, version: null };
  const opened = verifyCheckpointByChain(found.bytes.toString('utf8'), await readKeys(deps));
  if (isLeft(opened)) throw new NotExtended(`${paths.checkpoint}: ${opened.left}`);
  if (opened.right.origin !== origin) throw new NotExtended(`${paths.checkpoint} is of ${opened.right.origin}`);
  return { ...opened.right, version: found.version };
};

const earlierRoot = ({ blobs, paths }: NotaryDependencies, size: number, now: number): Promise<Buffer> =>
  rangeRoot(0, size, tiledNodes(now, headsTile(blobs, paths)));

/**
 * The last published checkpoint, and the tree that is stored but not published. Null while another notary is working.
 */
export const readNotaryTop = async (deps: NotaryDependencies): Promise<NotaryTop | null> => {
  const { notes } = deps;
  const { size, root, version } = await readCheckpoint(deps);
  const note = await notes.read();
  if (note === null)
    return (await notes.replace(null, toStoredTree({ size, root }))) ? { size, root, version, owed: null } : null;
  const before: TreeHead = { size: note.size, root: Buffer.from(note.root, 'base64') };
  if (before.size === size) {
    if (before.root.equals(root)) return { size, root, version, owed: null };
    throw new NotExtended(`the checkpoint of ${size} entries has another root than the one that was signed`);
  }
  if (before.size < size) {
    // MongoDB has an older state, for example from a backup. The published log must continue it.
    if (before.size > 0 && !(await earlierRoot(deps, before.size, size)).equals(before.root))
      throw new NotExtended(`the log of heads does not continue the ${before.size} entries that were signed`);
    return (await notes.replace(note, toStoredTree({ size, root }))) ? { size, root, version, owed: null } : null;
  }
  // Another notary stored this tree, and has died since or is about to publish it.
  if ((await readCheckpoint(deps)).version !== version) return null;
  if (before.size === size + 1) return { size, root, version, owed: before };
  throw new NotExtended(
    `Blob is of before: it has ${size} entries of the log of heads, and ${before.size} were signed`,
  );
};
