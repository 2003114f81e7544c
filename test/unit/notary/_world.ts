import { generateKeyPairSync } from 'node:crypto';
import { createNotary, type Notary } from '../../../notary/notary.ts';
import type { NotaryDependencies } from '../../../notary/notary-dependencies.ts';
import type { RequestCosignatures } from '../../../notary/witnesses/ask-witnesses.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import { entriesFrom, verifyCheckpoint } from '../../../platform/proof-log/heads-log.ts';
import { proofPaths } from '../../../platform/proof-log/proof-paths.ts';
import { appendLeaves, EMPTY_TREE, rootOf } from '../../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../../proofs/merkle/hashes.ts';
import { signerKey } from '../../../proofs/notes/keys.ts';
import { noteText } from '../../../proofs/notes/signed-note.ts';
import { recordLeaf } from '../../../proofs/records/record-leaf.ts';
import type { NotaryDocument } from '../../../read-models/notary/notary-notes.ts';

const TOPICS: Readonly<Record<string, number>> = {
  'catalogue-events': 1,
  deployment: 1,
  'render-events': 2,
  'render-status': 2,
  'webhook-events': 2,
};

const pair = generateKeyPairSync('ed25519');
export const ORIGIN = 'rendering/memory/2';
export const KEY = signerKey('note', ORIGIN, pair.privateKey);
const paths = proofPaths(ORIGIN);

const known = new WeakMap<LogRecord, Buffer>();
/** Computed once for each record, because tests check each world many times. */
const leafOf = (record: LogRecord): Buffer => {
  const leaf = known.get(record) ?? recordLeaf(record);
  known.set(record, leaf);
  return leaf;
};

const rootOfLeaves = (leaves: readonly Buffer[]): Buffer => rootOf(appendLeaves(EMPTY_TREE, leaves).tree);

/** Every request of a process passes here. A passage may delay it, or end the process before or after it is served. */
export type Passage = <A>(serve: () => A) => Promise<A>;

const OPEN: Passage = async (serve) => serve();

/** The log, the container and the store that the notaries share. */
type State = {
  /** By topic and partition. */
  readonly log: Map<string, LogRecord[]>;
  /** By topic and partition, the first offset that retention left. */
  readonly starts: Map<string, number>;
  blobs: Map<string, { readonly bytes: Buffer; readonly version: string }>;
  note: Omit<NotaryDocument, '_id'> | null;
  /** Counts writes of blobs. */
  versions: number;
  time_ms: number;
  /** Every root that was ever signed, by size. */
  readonly signed: Map<number, Set<string>>;
};

const newState = (): State => ({
  log: new Map(
    Object.entries(TOPICS).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, partition): [string, LogRecord[]] => [`${topic}/${partition}`, []]),
    ),
  ),
  ...{ starts: new Map(), blobs: new Map(), note: null, versions: 0, time_ms: 1_764_000_000_000, signed: new Map() },
});

const recordsOf = ({ log }: State, topic: string, partition: number): LogRecord[] =>
  log.get(`${topic}/${partition}`) ?? [];

const append = (state: State, topic: string, partition: number, count: number): void => {
  const records = recordsOf(state, topic, partition);
  for (let i = 0; i < count; i += 1) {
    const offset = records.length;
    const [key, value] = [`key ${offset % 7}`, `${topic} ${partition} ${offset}`].map((text) => Buffer.from(text));
    records.push({
      ...{ topic, partition, offset, append_time_ms: state.time_ms + offset },
      ...{ key: key ?? null, value: value ?? null, headers: {} },
    });
  }
};

const put = (state: State, path: string, bytes: Buffer): void => {
  state.versions += 1;
  state.blobs.set(path, { bytes, version: String(state.versions) });
};

const blobsOf = (state: State, pass: Passage): NotaryDependencies['blobs'] => ({
  read: (path) => pass(() => state.blobs.get(path) ?? null),
  create: (path, bytes) =>
    pass(() => {
      if (state.blobs.has(path)) return false;
      put(state, path, bytes);
      return true;
    }),
  replace: (path, bytes, version) =>
    pass(() => {
      if ((state.blobs.get(path)?.version ?? null) !== version) return false;
      put(state, path, bytes);
      return true;
    }),
  remove: (path) => pass(() => void state.blobs.delete(path)),
});

const notesOf = (state: State, pass: Passage): NotaryDependencies['notes'] => ({
  read: () => pass(() => state.note),
  replace: (before, next) =>
    pass(() => {
      const { note } = state;
      const same = before === null ? note === null : note?.size === before.size && note.root === before.root;
      if (same) state.note = { ...note, size: next.size, root: next.root };
      return same;
    }),
});

const boundsOf = ({ log, starts }: State, topic: string, partition: number) => {
  const place = `${topic}/${partition}`;
  return { partition, start: starts.get(place) ?? 0, end: log.get(place)?.length ?? 0 };
};

const NO_SIGNATURES: RequestCosignatures = async () => ({ signatures: [], seen: 0 });

/** A notary process. */
const startNotary = (
  state: State,
  pass: Passage = OPEN,
  askWitnesses: RequestCosignatures = NO_SIGNATURES,
  keys: Pick<NotaryDependencies, 'signer' | 'former'> = { signer: KEY, former: [] },
): Notary =>
  createNotary({
    log: {
      bounds: (topic) =>
        pass(() => Array.from({ length: TOPICS[topic] ?? 0 }, (_, partition) => boundsOf(state, topic, partition))),
      async *replay(topic, partition, from, to) {
        yield* await pass(() => recordsOf(state, topic, partition).slice(from, to));
      },
    },
    blobs: blobsOf(state, pass),
    notes: notesOf(state, pass),
    askWitnesses: async (submission) => {
      const [, size, root = ''] = submission.note.text.split('\n');
      state.signed.set(Number(size), (state.signed.get(Number(size)) ?? new Set()).add(root));
      return await askWitnesses(submission);
    },
    clock: { now: () => state.time_ms },
    ...{ paths, origin: ORIGIN, ...keys },
  });

/** Faults of everything signed and published: forks, and heads that the log does not have. */
const faultsOf = async (state: State): Promise<readonly string[]> => {
  const { signed, blobs } = state;
  const found = Array.from(signed, ([size, roots]) =>
    roots.size === 1 ? [] : [`${roots.size} trees of ${size} entries`],
  ).flat();
  const checkpoint = blobs.get(paths.checkpoint);
  if (checkpoint === undefined) return found;
  const opened = verifyCheckpoint(checkpoint.bytes.toString(), [KEY]);
  if (opened._tag === 'Left') return [...found, opened.left];
  const { size, root } = opened.right;
  const entries: Buffer[] = [];
  const reading = { read: async (path: string) => state.blobs.get(path) ?? null };
  for await (const entry of entriesFrom(reading, paths, 0, size)) {
    entries.push(leafHash(entry.bytes));
    for (const head of entry.heads) {
      const records = recordsOf(state, head.topic, head.partition).slice(0, head.size);
      if (records.length !== head.size || !rootOfLeaves(records.map(leafOf)).equals(head.root))
        found.push(`entry ${entry.index} has another ${head.topic}/${head.partition} than the log`);
    }
  }
  for (const [at, roots] of signed)
    if (at <= size && !roots.has(rootOfLeaves(entries.slice(0, at)).toString('base64')))
      found.push(`not a prefix: ${at}`);
  if (!rootOfLeaves(entries).equals(root)) found.push('the root is not that of the entries');
  return found;
};

/** The view of an auditor with access to the log and to the container. */
const readingOf = (state: State) => ({
  log: {
    bounds: async (topic: string) => {
      const places = [...state.log.keys()].filter((place) => place.startsWith(`${topic}/`));
      return places.map((place) => boundsOf(state, topic, Number(place.slice(topic.length + 1))));
    },
    async *replay(topic: string, partition: number, from: number, to: number) {
      yield* recordsOf(state, topic, partition).slice(from, to);
    },
  },
  blobs: { read: async (path: string) => state.blobs.get(path) ?? null },
  paths,
});

/** The contents of a backup, to restore later. */
const backupOf = (state: State) => {
  const [blobs, note] = [new Map(state.blobs), state.note];
  return {
    restoreBlobs: () => {
      const version = `restored ${state.versions}`;
      state.blobs = new Map(Array.from(blobs, ([path, { bytes }]) => [path, { bytes, version }]));
    },
    restoreNote: () => {
      state.note = note;
    },
  };
};

/** A log, a container and a store in memory, and every root that was ever signed. */
export const createWorld = () => {
  const state = newState();
  const { log, starts } = state;
  return {
    ...{ log, starts, paths },
    append: (topic: string, partition: number, count = 1) => append(state, topic, partition, count),
    notary: (
      pass?: Passage,
      askWitnesses?: RequestCosignatures,
      keys?: Pick<NotaryDependencies, 'signer' | 'former'>,
    ) => startNotary(state, pass, askWitnesses, keys),
    faults: () => faultsOf(state),
    /** The number of records that the published heads do not cover. */
    unsigned: (notary: Notary): number =>
      Array.from(log, ([place, records]) => records.length - (notary.signed().sizes.get(place) ?? 0)).reduce(
        (a, b) => a + b,
      ),
    signed: state.signed,
    reading: () => readingOf(state),
    blobs: () => state.blobs,
    put: (path: string, bytes: Buffer) => put(state, path, bytes),
    note: () => state.note,
    backup: () => backupOf(state),
    /** Sets the clock of the notary's machine. */
    setClock: (ms: number) => {
      state.time_ms = ms;
    },
    published: (): string => {
      const bytes = state.blobs.get(paths.checkpoint)?.bytes;
      return bytes === undefined ? 'nothing' : noteText({ text: bytes.toString(), signatures: [] });
    },
  };
};
