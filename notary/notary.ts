import { isLeft } from 'fp-ts/lib/Either.js';
import type { ProofBlobs } from '../platform/blob-store/proof-blobs.ts';
import type { Clock } from '../platform/process/clock.ts';
import { entriesFrom, openedByChain, parsedEntry, type StoredEntry } from '../platform/proof-log/heads-log.ts';
import { storedKeyChain } from '../platform/proof-log/key-chain.ts';
import { NotExtended } from '../platform/proof-log/not-extended.ts';
import { type PlaceEnd, placeEnds, placeText } from '../platform/proof-log/notarized-topics.ts';
import { headsTile } from '../platform/proof-log/stored-tiles.ts';
import { headsEntryText, MAX_HEADS } from '../proofs/heads/heads-entry.ts';
import { edgeOfSize, grown, rootOf, TILE_WIDTH } from '../proofs/merkle/growing-tree.ts';
import { EMPTY_ROOT, leafHash } from '../proofs/merkle/hashes.ts';
import { consistencyProof, rangeRoot } from '../proofs/merkle/proofs.ts';
import { checkpointText } from '../proofs/notes/checkpoint.ts';
import { type SignerKey, type VerifierKey, verifierKeyText } from '../proofs/notes/keys.ts';
import { noteSignature, noteText } from '../proofs/notes/signed-note.ts';
import { isSameKey, type KeyChain } from '../proofs/notes/succession.ts';
import { bundleBytes, entriesOfBundle, tileBytes } from '../proofs/tiles/tile-bytes.ts';
import { tiledNodes } from '../proofs/tiles/tiled-nodes.ts';
import type { NotaryNotes, NotedTree } from '../read-models/notary/notary-notes.ts';
import { type HeadsState, withEntry } from './heads/heads-state.ts';
import { loadHeads } from './heads/load-heads.ts';
import { createdOrSame } from './trees/created-or-same.ts';
import type { TreeDeps } from './trees/extend-tree.ts';
import { extendTrees, followTrees, loadTrees, type PartitionTrees } from './trees/partition-trees.ts';
import type { AskWitnesses } from './witnesses/ask-witnesses.ts';

export type NotaryDeps = TreeDeps & {
  readonly blobs: Pick<ProofBlobs, 'read' | 'create' | 'replace' | 'remove'>;
  readonly notes: Pick<NotaryNotes, 'read' | 'replace'>;
  readonly origin: string;
  readonly signer: SignerKey;
  /**
   * Former signing keys. The notary continues what they signed, and what the keys signed that they name as successors.
   */
  readonly former: readonly VerifierKey[];
  readonly askWitnesses: AskWitnesses;
  readonly clock: Pick<Clock, 'now'>;
};

/** The signed heads, and the trees that they were checked against. */
type Standing = { readonly heads: HeadsState; readonly trees: PartitionTrees };

type Tree = { readonly size: number; readonly root: Buffer };

type Top = Tree & {
  /** Version of the checkpoint; null if there is no checkpoint. */
  readonly version: string | null;
  /** A tree that is noted but has no published checkpoint: it must come next. */
  readonly owed: Tree | null;
};

/**
 * After `signed`, the log of heads has one more entry. With `nothing`, no partition has grown. After `lost`, another
 * notary was faster, and a retry continues from its result. With `followed`, another notary has signed since.
 */
type Step = 'signed' | 'nothing' | 'lost' | 'followed';

export type Notary = {
  /**
   * Signs the growth of the log. Rejects with `NotExtended` if the log does not extend what was signed. Rejects with
   * another error if a server does not answer; a repeated call continues.
   * @param yields whether to leave the work to another notary that has signed meanwhile
   * @returns number of entries that it signed
   */
  readonly sign: (yields: boolean) => Promise<number>;
  /** The last signed state that it knows: the number of entries, and the size of each partition's tree. */
  readonly signed: () => { readonly size: number; readonly sizes: ReadonlyMap<string, number> };
};

/** After this many steps lost to other notaries it waits for the next round. */
const MAX_LOST = 10;

const noted = ({ size, root }: Tree): NotedTree => ({ size, root: root.toString('base64') });

const NOTHING: Tree = { size: 0, root: EMPTY_ROOT };

/** One of the processes that may sign. ADR 83 explains each step. */
export const createNotary = (deps: NotaryDeps): Notary => {
  const { log, blobs, paths, notes, origin, signer, clock } = deps;
  let standing: Standing | null = null;

  /**
   * The signing key and the former keys, with their successors. The command `renderctl notary hand-over` stores the
   * succession before it replaces the checkpoint. A step with outdated keys therefore fails to write in `publish`.
   */
  const readKeys = async (): Promise<KeyChain> => {
    const chain = await storedKeyChain({ blobs, paths }, [signer, ...deps.former]);
    if (isLeft(chain)) throw new NotExtended(chain.left);
    const handed_over = chain.right.successions.find(({ from }) => isSameKey(from, signer));
    if (handed_over === undefined) return chain.right;
    throw new NotExtended(
      `the key of this notary, ${verifierKeyText(signer)}, handed over at ${handed_over.size} entries to ` +
        `${verifierKeyText(handed_over.to)}: start the notary with that one as NOTARY_KEY`,
    );
  };

  const readCheckpoint = async (): Promise<Tree & { readonly version: string | null }> => {
    const found = await blobs.read(paths.checkpoint);
    if (found === null) return { ...NOTHING, version: null };
    const opened = openedByChain(found.bytes.toString('utf8'), await readKeys());
    if (isLeft(opened)) throw new NotExtended(`${paths.checkpoint}: ${opened.left}`);
    if (opened.right.origin !== origin) throw new NotExtended(`${paths.checkpoint} is of ${opened.right.origin}`);
    return { ...opened.right, version: found.version };
  };

  /** The root of the log of heads at a smaller size. */
  const earlierRoot = (size: number, now: number): Promise<Buffer> =>
    rangeRoot(0, size, tiledNodes(now, headsTile(blobs, paths)));

  /** The last published checkpoint and the noted tree; null while another notary is working. */
  const readTop = async (): Promise<Top | null> => {
    const { size, root, version } = await readCheckpoint();
    const note = await notes.read();
    if (note === null)
      return (await notes.replace(null, noted({ size, root }))) ? { size, root, version, owed: null } : null;
    const before: Tree = { size: note.size, root: Buffer.from(note.root, 'base64') };
    if (before.size === size) {
      if (before.root.equals(root)) return { size, root, version, owed: null };
      throw new NotExtended(`the checkpoint of ${size} entries has another root than the one that was signed`);
    }
    if (before.size < size) {
      // MongoDB has an older state, for example from a backup: that state must be a prefix of the published log.
      if (before.size > 0 && !(await earlierRoot(before.size, size)).equals(before.root))
        throw new NotExtended(`the log of heads does not continue the ${before.size} entries that were signed`);
      return (await notes.replace(note, noted({ size, root }))) ? { size, root, version, owed: null } : null;
    }
    // A notary noted this tree and then ended, or is about to publish it.
    if ((await readCheckpoint()).version !== version) return null;
    if (before.size === size + 1) return { size, root, version, owed: before };
    throw new NotExtended(
      `Blob is of before: it has ${size} entries of the log of heads, and ${before.size} were signed`,
    );
  };

  const reach = async ({ size, root }: Tree): Promise<'reached' | 'followed'> => {
    if (standing === null) {
      const heads = await loadHeads(blobs, paths, { size, root });
      standing = { heads, trees: await loadTrees(deps, [...heads.heads.values()]) };
      return 'reached';
    }
    const from = standing.heads.tree.size;
    if (size < from)
      throw new NotExtended(`Blob and MongoDB are of before: ${from} entries were signed, and they have ${size}`);
    let { heads, trees } = standing;
    for await (const entry of size > from ? entriesFrom(blobs, paths, from, size) : []) {
      heads = withEntry(heads, entry);
      trees = await followTrees(deps, trees, entry);
    }
    if (!rootOf(heads.tree).equals(root))
      throw new NotExtended(`the entries of the log of heads do not have the root that was signed of ${size} of them`);
    standing = { heads, trees };
    return size > from ? 'followed' : 'reached';
  };

  /** The next entry, if a notary wrote it and did not continue. */
  const writtenEntry = async ({ tree, entries }: HeadsState): Promise<StoredEntry | null> => {
    const width = entries.length + 1;
    const path = paths.entries(Math.floor(tree.size / TILE_WIDTH), width);
    const found = await blobs.read(path);
    if (found === null) return null;
    const all = entriesOfBundle(found.bytes, width);
    const last = all?.at(-1);
    if (all === null || last === undefined || !entries.every((entry, i) => all[i]?.equals(entry)))
      throw new NotExtended(`${path} does not begin with the entries that were signed`);
    return parsedEntry(tree.size, last);
  };

  type Next = { readonly entry: StoredEntry; readonly trees: PartitionTrees };

  /** Writes an entry with the heads that have grown; null if another notary was faster. */
  const writeEntry = async ({ heads, trees }: Standing, ends: readonly PlaceEnd[]): Promise<Next | null> => {
    const extended = await extendTrees(deps, trees, ends.slice(0, MAX_HEADS));
    const text = headsEntryText({ time_ms: clock.now(), heads: extended.heads });
    const bytes = Buffer.from(text);
    const entries = [...heads.entries, bytes];
    const path = paths.entries(Math.floor(heads.tree.size / TILE_WIDTH), entries.length);
    const created = await blobs.create(path, bundleBytes(entries));
    return created ? { entry: parsedEntry(heads.tree.size, bytes), trees: extended.trees } : null;
  };

  const nextEntry = async (
    standing: Standing,
    ends: readonly PlaceEnd[],
    owed: Tree | null,
  ): Promise<Next | 'nothing' | 'lost'> => {
    const written = await writtenEntry(standing.heads);
    if (written !== null) return { entry: written, trees: await followTrees(deps, standing.trees, written) };
    if (owed !== null)
      throw new NotExtended(`Blob is of before: entry ${owed.size - 1} of the log of heads was signed, and is gone`);
    return ends.length === 0 ? 'nothing' : ((await writeEntry(standing, ends)) ?? 'lost');
  };

  const writeTiles = async (before: HeadsState, entry: StoredEntry): Promise<void> => {
    const { tree, tiles } = grown(before.tree, [leafHash(entry.bytes)]);
    for (const { level, index, hashes } of tiles)
      await createdOrSame(blobs, paths.tile(level, index), tileBytes(hashes));
    for (const [level, { index, width }] of edgeOfSize(tree.size).entries())
      if (width > 0) await createdOrSame(blobs, paths.tile(level, index, width), tileBytes(tree.edge[level] ?? []));
  };

  const note = async (before: Tree, next: Tree): Promise<boolean> => {
    if (await notes.replace(noted(before), noted(next))) return true;
    const found = await notes.read();
    return found?.size === next.size && found.root === noted(next).root;
  };

  /** False if another notary was faster. */
  const publish = async (top: Top, next: Tree): Promise<boolean> => {
    const text = checkpointText({ origin, ...next });
    const own = noteSignature(signer, text);
    const nodes = tiledNodes(next.size, headsTile(blobs, paths));
    const { signatures, seen } = await deps.askWitnesses({
      note: { text, signatures: [own] },
      size: next.size,
      prove: (old) => consistencyProof(old, next.size, nodes),
    });
    if (seen > next.size) {
      if ((await readCheckpoint()).version !== top.version) return false;
      throw new NotExtended(`a witness has seen ${seen} entries of the log of heads, and Blob has ${top.size}`);
    }
    const bytes = Buffer.from(noteText({ text, signatures: [own, ...signatures] }));
    return await blobs.replace(paths.checkpoint, bytes, top.version);
  };

  /** Removes partial tiles and bundles of a bundle that has been full for long: readers find the full ones. */
  const removePartial = async (size: number): Promise<void> => {
    const bundle = size / TILE_WIDTH - 2;
    if (!Number.isInteger(bundle) || bundle < 0) return;
    for (let width = 1; width < TILE_WIDTH; width += 1)
      // If the container has a retention policy, the blobs stay.
      for (const path of [paths.entries(bundle, width), paths.tile(0, bundle, width)])
        await blobs.remove(path).catch(() => undefined);
  };

  /** Partitions that have grown, or that the bundle does not name yet. */
  const grownPlaces = ({ heads }: Standing, ends: readonly PlaceEnd[]): readonly PlaceEnd[] => {
    const due =
      (named: boolean) =>
      (one: PlaceEnd): boolean => {
        const size = heads.heads.get(placeText(one))?.size ?? 0;
        return one.end > size || (named && one.end > 0 && !heads.named.has(placeText(one)));
      };
    // A new bundle begins only when a partition has grown.
    const begun = heads.entries.length > 0 || ends.some(due(false));
    return begun ? ends.filter(due(true)) : [];
  };

  const step = async (ends: readonly PlaceEnd[], yields: boolean): Promise<Step> => {
    const top = await readTop();
    if (top === null) return 'lost';
    if ((await reach(top)) === 'followed' && yields) return 'followed';
    if (standing === null) return 'lost';
    const { heads } = standing;
    const next = await nextEntry(standing, grownPlaces(standing, ends), top.owed);
    if (next === 'nothing' || next === 'lost') return next;
    const after = withEntry(heads, next.entry);
    const tree: Tree = { size: after.tree.size, root: rootOf(after.tree) };
    if (top.owed !== null && !top.owed.root.equals(tree.root))
      throw new NotExtended(`entry ${top.size} of the log of heads is not the one that was signed`);
    await writeTiles(heads, next.entry);
    // Noted before it is published: even if later data is lost, no other tree of this size is signed.
    if (top.owed === null && !(await note(top, tree))) return 'lost';
    if (!(await publish(top, tree))) return 'lost';
    standing = { heads: after, trees: next.trees };
    await removePartial(tree.size);
    return 'signed';
  };

  return {
    sign: async (yields) => {
      const ends = await placeEnds(log);
      let count = 0;
      for (let lost = 0; lost < MAX_LOST; ) {
        const done = await step(ends, yields && count === 0);
        if (done === 'nothing' || done === 'followed') return count;
        if (done === 'signed') count += 1;
        else lost += 1;
      }
      return count;
    },
    signed: () => ({
      size: standing?.heads.tree.size ?? 0,
      sizes: new Map(Array.from(standing?.heads.heads ?? [], ([place, { size }]) => [place, size])),
    }),
  };
};
