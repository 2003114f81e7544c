import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { parseVerifierKey, type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import {
  type KeyChain,
  keyChain,
  keySuccessionsTo,
  MAX_SUCCESSIONS,
  type Succession,
  type SuccessionNotes,
} from '../../proofs/notes/succession.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { ProofPaths } from './proof-paths.ts';

type Stored = { readonly blobs: Pick<ProofBlobs, 'read'>; readonly paths: ProofPaths };

/** The keys that the notary lists, its own key first. Empty before the first start of the notary. */
export const loadListedKeys = async ({ blobs, paths }: Stored): Promise<readonly VerifierKey[]> => {
  const lines = (await blobs.read(paths.keys))?.bytes.toString('utf8').split('\n') ?? [];
  return lines.flatMap((line) => parseVerifierKey(line) ?? []);
};

/** The new key in a note, whether or not the note is valid. */
const namedKey = (note: string): VerifierKey | undefined => parseVerifierKey(note.split('\n', 3)[2] ?? '');

export const loadSuccessions = async (
  { blobs, paths }: Stored,
  keys: readonly VerifierKey[],
): Promise<SuccessionNotes> => {
  const notes = new Map<string, string>();
  for (const key of keys) {
    let next: VerifierKey | undefined = key;
    // Reads one more than a chain may have, so that a longer chain is detected.
    for (let i = 0; i <= MAX_SUCCESSIONS && next !== undefined && !notes.has(verifierKeyText(next)); i += 1) {
      const note: string | undefined = (await blobs.read(paths.succession(next)))?.bytes.toString('utf8');
      if (note !== undefined) notes.set(verifierKeyText(next), note);
      next = note === undefined ? undefined : namedKey(note);
    }
  }
  return notes;
};

export const loadKeyChain = async (stored: Stored, keys: readonly VerifierKey[]): Promise<Either<string, KeyChain>> =>
  keyChain(keys, await loadSuccessions(stored, keys));

export type TrustedKeys = {
  /** One of these keys signed the newest checkpoint. */
  readonly chain: KeyChain;
  /** One of these keys signed a saved checkpoint. Includes the predecessors of the given keys. */
  readonly of_kept: readonly VerifierKey[];
  /** The log of heads must begin with the tree of each succession. */
  readonly successions: readonly Succession[];
};

const distinct = <A>(all: readonly A[], textOf: (one: A) => string): readonly A[] => [
  ...new Map(all.map((one) => [textOf(one), one])).values(),
];

export const trustedKeys = async (
  stored: Stored,
  given: readonly VerifierKey[],
): Promise<Either<string, TrustedKeys>> => {
  const listed = (await loadListedKeys(stored)).slice(0, MAX_SUCCESSIONS);
  const notes = await loadSuccessions(stored, [...given, ...listed]);
  const chain = keyChain(given, notes);
  if (isLeft(chain)) return chain;
  const before = keySuccessionsTo(chain.right.keys, notes);
  return right({
    chain: chain.right,
    of_kept: distinct([...chain.right.keys, ...before.map(({ from }) => from)], verifierKeyText),
    successions: distinct([...chain.right.successions, ...before], ({ from }) => verifierKeyText(from)),
  });
};
