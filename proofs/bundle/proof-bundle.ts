import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type HeadsEntry, parseHeadsEntry } from '../heads/heads-entry.ts';
import { HASH_BYTES, leafHash } from '../merkle/hashes.ts';
import { verifyInclusion } from '../merkle/proofs.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import type { VerifierKey } from '../notes/keys.ts';
import { cosignedAt, parseNote } from '../notes/signed-note.ts';
import {
  keyChain,
  keySuccessionsBetween,
  type Succession,
  signerOfCheckpoint,
  successionNotes,
} from '../notes/succession.ts';
import { recordLeaf } from '../records/record-leaf.ts';

/** Output of `renderctl prove`: records, and data that proves without a server that the log had them. */

export const BUNDLE_FORMAT = 'rendering proof 1';

const isBase64 = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

const Bytes = new t.Type<Buffer, string>(
  'base64',
  (value): value is Buffer => Buffer.isBuffer(value),
  (value, context) => (isBase64(value) ? t.success(Buffer.from(value, 'base64')) : t.failure(value, context)),
  (bytes) => bytes.toString('base64'),
);

const Proof = t.array(Bytes);

const TOPIC = 'render-events';

const integer = (name: string, min: number, max: number) =>
  new t.Type<number>(
    name,
    (value): value is number =>
      typeof value === 'number' && Number.isSafeInteger(value) && min <= value && value <= max,
    (value, context) =>
      typeof value === 'number' && Number.isSafeInteger(value) && min <= value && value <= max
        ? t.success(value)
        : t.failure(value, context),
    (value) => value,
  );

const Position = integer('position', 0, Number.MAX_SAFE_INTEGER);
const Partition = integer('partition', 0, 2 ** 31 - 1);
const LAST_INSTANT_MS = 8_640_000_000_000_000;
const Instant = integer('instant', -LAST_INSTANT_MS, LAST_INSTANT_MS);

const isNotes = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/** A list of signed notes; undefined if it is missing. */
const Notes = new t.Type<readonly string[] | undefined>(
  'notes',
  isNotes,
  (value, context) => (isNotes(value) ? t.success(value) : t.failure(value, context)),
  (notes) => notes,
);

const ProvenRecord = t.type({
  topic: t.string,
  partition: Partition,
  offset: Position,
  append_time_ms: Instant,
  key: t.union([Bytes, t.null]),
  value: t.union([Bytes, t.null]),
  /** Proof that the record is in the partition's tree, at the size that the entry has. */
  proof: Proof,
});

export const ProofBundle = t.type({
  format: t.literal(BUNDLE_FORMAT),
  render: t.string,
  checkpoint: t.string,
  /** The entry of the log of heads that contains the root of the records' partition. */
  entry: t.type({ index: Position, text: t.string, proof: Proof }),
  records: t.array(ProvenRecord),
  /** Schemas as JSON by id, to decode the values. They are not proven. */
  schemas: t.record(t.string, t.string),
  /** Older files lack this member, and older verifiers ignore it. */
  successions: Notes,
});
export type ProofBundle = t.TypeOf<typeof ProofBundle>;

export const bundleText = (bundle: ProofBundle): string => `${JSON.stringify(ProofBundle.encode(bundle), null, 2)}\n`;

const wrongMember = (errors: t.Errors): string =>
  errors
    .at(0)
    ?.context.map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.') ?? '';

const parsedJson = (text: string): Either<string, unknown> => {
  try {
    return right(JSON.parse(text));
  } catch {
    return left('it is not JSON');
  }
};

export const parseBundle = (text: string): Either<string, ProofBundle> => {
  const json = parsedJson(text);
  if (isLeft(json)) return json;
  const decoded = ProofBundle.decode(json.right);
  if (!isLeft(decoded)) return decoded;
  const member = wrongMember(decoded.left);
  return left(`it is not a "${BUNDLE_FORMAT}"${member === '' ? '' : `: ${member} is missing or invalid`}`);
};

export type VerifiedBundle = {
  readonly checkpoint: Checkpoint;
  readonly signed_by: VerifierKey;
  /** The successions from a given key to the key that signed; empty if the given key signed. */
  readonly successions: readonly Succession[];
  /** `at_s` is the witness's own statement, in seconds since 1970. */
  readonly cosigned: readonly { readonly witness: string; readonly at_s: number }[];
  readonly entry_time_ms: number;
  readonly place: string;
  readonly size: number;
};

const isProof = (proof: readonly Buffer[]): boolean => proof.every((hash) => hash.length === HASH_BYTES);

/**
 * The tree that must contain the records. They must be of one partition and of the render, in log order, without
 * repeats. Left: the first violation.
 */
const provenTree = (
  { render, records }: ProofBundle,
  { heads }: HeadsEntry,
): Either<string, { readonly place: string; readonly size: number }> => {
  const [first] = records;
  if (first === undefined) return left('it has no records');
  const place = `${first.topic}/${first.partition}`;
  if (first.topic !== TOPIC) return left(`${place} is not of ${TOPIC}`);
  const head = heads.find(({ topic, partition }) => topic === first.topic && partition === first.partition);
  if (head === undefined) return left(`the entry has no tree of ${place}`);
  const key = Buffer.from(render);
  let before = -1;
  for (const record of records) {
    const { offset, proof } = record;
    if (record.topic !== first.topic || record.partition !== first.partition)
      return left(`a record is of ${record.topic}/${record.partition}, and others are of ${place}`);
    if (offset <= before) return left(`record ${offset} of ${place} follows record ${before}`);
    before = offset;
    if (record.key?.equals(key) !== true) return left(`record ${offset} of ${place} is not of ${render}`);
    const leaf = recordLeaf(record);
    if (!isProof(proof) || !verifyInclusion({ leaf, index: offset, size: head.size, root: head.root, proof }))
      return left(`record ${offset} of ${place} is not the one that was signed`);
  }
  return right({ place, size: head.size });
};

/**
 * Verifies a bundle. Returns the facts that it proves to a verifier that trusts one of the keys. Left: the first fault.
 */
export const verifyBundle = (
  bundle: ProofBundle,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[],
): Either<string, VerifiedBundle> => {
  const note = parseNote(bundle.checkpoint);
  if (isLeft(note)) return left(`the checkpoint: ${note.left}`);
  const checkpoint = parseCheckpoint(note.right.text);
  if (isLeft(checkpoint)) return left(`the checkpoint: ${checkpoint.left}`);
  const { size, root } = checkpoint.right;
  const notes = successionNotes(bundle.successions ?? []);
  if (isLeft(notes)) return notes;
  const chain = keyChain(keys, notes.right);
  if (isLeft(chain)) return chain;
  const signed_by = signerOfCheckpoint(note.right, checkpoint.right, chain.right);
  if (isLeft(signed_by)) return signed_by;

  const { index, text, proof } = bundle.entry;
  const leaf = leafHash(Buffer.from(text));
  if (!isProof(proof) || !verifyInclusion({ leaf, index, size, root, proof }))
    return left(`the entry is not entry ${index} of the log of heads`);
  const entry = parseHeadsEntry(text);
  if (isLeft(entry)) return left(`the entry: ${entry.left}`);

  const tree = provenTree(bundle, entry.right);
  if (isLeft(tree)) return tree;
  const cosigned = witnesses.flatMap((witness) => {
    const at_s = cosignedAt(note.right, witness);
    return at_s === null ? [] : [{ witness: witness.name, at_s }];
  });
  return right({
    checkpoint: checkpoint.right,
    signed_by: signed_by.right,
    successions: keySuccessionsBetween(keys, signed_by.right, chain.right),
    cosigned,
    entry_time_ms: entry.right.time_ms,
    ...tree.right,
  });
};
