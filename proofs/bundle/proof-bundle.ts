import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { parsedHeadsEntry } from '../heads/heads-entry.ts';
import { HASH_BYTES, leafHash } from '../merkle/hashes.ts';
import { showsInclusion } from '../merkle/proofs.ts';
import { type Checkpoint, parsedCheckpoint } from '../notes/checkpoint.ts';
import type { VerifierKey } from '../notes/keys.ts';
import { cosignedAt, isNoteSigned, parsedNote } from '../notes/signed-note.ts';
import { recordLeaf } from '../records/record-leaf.ts';

/** What `renderctl prove` writes: records, and all that shows, without a server, that they were in the log. */

export const BUNDLE_FORMAT = 'rendering proof 1';

const isBase64 = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

/** Bytes as base64. */
const Bytes = new t.Type<Buffer, string>(
  'base64',
  (value): value is Buffer => Buffer.isBuffer(value),
  (value, context) => (isBase64(value) ? t.success(Buffer.from(value, 'base64')) : t.failure(value, context)),
  (bytes) => bytes.toString('base64'),
);

const Proof = t.array(Bytes);

const ProvenRecord = t.type({
  topic: t.string,
  partition: t.number,
  offset: t.number,
  append_time_ms: t.number,
  key: t.union([Bytes, t.null]),
  value: t.union([Bytes, t.null]),
  /** That it is in the tree of its partition, at the size that the entry has. */
  proof: Proof,
});

export const ProofBundle = t.type({
  format: t.literal(BUNDLE_FORMAT),
  /** What the records are of: their key. */
  render: t.string,
  /** The signed note. */
  checkpoint: t.string,
  /** The entry of the log of heads that has the tree of the records' partition. */
  entry: t.type({ index: t.number, text: t.string, proof: Proof }),
  records: t.array(ProvenRecord),
  /** By the id that is in the records, as JSON; to read their values. Nothing proves that they are these. */
  schemas: t.record(t.string, t.string),
});
export type ProofBundle = t.TypeOf<typeof ProofBundle>;

export const bundleText = (bundle: ProofBundle): string => `${JSON.stringify(ProofBundle.encode(bundle), null, 2)}\n`;

export const parsedBundle = (text: string): Either<string, ProofBundle> => {
  try {
    const decoded = ProofBundle.decode(JSON.parse(text));
    return isLeft(decoded) ? left(`it is no "${BUNDLE_FORMAT}"`) : decoded;
  } catch {
    return left('it is not JSON');
  }
};

export type Proven = {
  readonly checkpoint: Checkpoint;
  readonly signed_by: VerifierKey;
  /** Witnesses that have cosigned, with the time that each tells, in seconds since 1970. */
  readonly cosigned: readonly { readonly witness: string; readonly at_s: number }[];
  /** Of the entry, in ms since 1970: the notary's clock. */
  readonly entry_time_ms: number;
  /** Size of the tree of the records' partition, by `topic/partition`. */
  readonly sizes: ReadonlyMap<string, number>;
};

const isProof = (proof: readonly Buffer[]): boolean => proof.every((hash) => hash.length === HASH_BYTES);

/** What the bundle proves, to whoever trusts one of the keys; else the first thing that is not so. */
export const provenBy = (
  bundle: ProofBundle,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[],
): Either<string, Proven> => {
  const note = parsedNote(bundle.checkpoint);
  if (isLeft(note)) return left(`the checkpoint: ${note.left}`);
  const checkpoint = parsedCheckpoint(note.right.text);
  if (isLeft(checkpoint)) return left(`the checkpoint: ${checkpoint.left}`);
  const { origin, size, root } = checkpoint.right;
  const signed_by = keys.find((key) => key.name === origin && isNoteSigned(note.right, key));
  if (signed_by === undefined) return left(`the checkpoint of ${origin} is not signed by the key that was given`);

  const { index, text, proof } = bundle.entry;
  const leaf = leafHash(Buffer.from(text));
  if (!isProof(proof) || !showsInclusion({ leaf, index, size, root, proof }))
    return left(`the entry is not the one that stands at ${index} of the log of heads`);
  const entry = parsedHeadsEntry(text);
  if (isLeft(entry)) return left(`the entry: ${entry.left}`);

  const sizes = new Map<string, number>();
  for (const record of bundle.records) {
    const place = `${record.topic}/${record.partition}`;
    const head = entry.right.heads.find((one) => one.topic === record.topic && one.partition === record.partition);
    if (head === undefined) return left(`the entry has no tree of ${place}`);
    const tree = { size: head.size, root: head.root };
    if (record.key?.toString('utf8') !== bundle.render)
      return left(`record ${record.offset} of ${place} is not of ${bundle.render}`);
    if (
      !isProof(record.proof) ||
      !showsInclusion({ leaf: recordLeaf(record), index: record.offset, ...tree, proof: record.proof })
    )
      return left(`record ${record.offset} of ${place} is not the one that was signed`);
    sizes.set(place, head.size);
  }
  if (sizes.size === 0) return left('it has no records');
  const cosigned = witnesses.flatMap((witness) => {
    const at_s = cosignedAt(note.right, witness);
    return at_s === null ? [] : [{ witness: witness.name, at_s }];
  });
  return right({ checkpoint: checkpoint.right, signed_by, cosigned, entry_time_ms: entry.right.time_ms, sizes });
};
