import { generateKeyPairSync } from 'node:crypto';
import { createNotary, type Notary } from '../../../notary/notary.ts';
import type { NotaryDeps } from '../../../notary/notary-deps.ts';
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

/** A log, a container and a store in memory, and whatever of it was ever signed. */

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
/** Computed once for each record, as these worlds are looked at again and again. */
const leafOf = (record: LogRecord): Buffer => {
  const leaf = known.get(record) ?? recordLeaf(record);
  known.set(record, leaf);
  return leaf;
};

const rootOfLeaves = (leaves: readonly Buffer[]): Buffer => rootOf(appendLeaves(EMPTY_TREE, leaves).tree);

/** Every request of a process passes here. It waits, or it ends the process before or after it is served. */
export type Passage = <A>(serve: () => A) => Promise<A>;

const OPEN: Passage = async (serve) => serve();

export const createWorld = () => {
  const log = new Map(
    Object.entries(TOPICS).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, partition): [string, LogRecord[]] => [`${topic}/${partition}`, []]),
    ),
  );
  let blobs = new Map<string, { readonly bytes: Buffer; readonly version: string }>();
  let note: Omit<NotaryDocument, '_id'> | null = null;
  let versions = 0;
  let time_ms = 1_764_000_000_000;
  /** Every root that was ever signed, by size. */
  const signed = new Map<number, Set<string>>();
  const starts = new Map<string, number>();

  const append = (topic: string, partition: number, count = 1): void => {
    const records = log.get(`${topic}/${partition}`) ?? [];
    for (let i = 0; i < count; i += 1) {
      const offset = records.length;
      const [key, value] = [`key ${offset % 7}`, `${topic} ${partition} ${offset}`].map((text) => Buffer.from(text));
      records.push({
        topic,
        partition,
        offset,
        append_time_ms: time_ms + offset,
        key: key ?? null,
        value: value ?? null,
        headers: {},
      });
    }
  };

  const put = (path: string, bytes: Buffer): void => {
    versions += 1;
    blobs.set(path, { bytes, version: String(versions) });
  };

  const remember: RequestCosignatures = async ({ note: { text } }) => {
    const [, size, root = ''] = text.split('\n');
    signed.set(Number(size), (signed.get(Number(size)) ?? new Set()).add(root));
    return { signatures: [], seen: 0 };
  };

  /** A process that signs, with the key of before where no other is given. */
  const notary = (
    pass: Passage = OPEN,
    askWitnesses: RequestCosignatures = async () => ({ signatures: [], seen: 0 }),
    keys: Pick<NotaryDeps, 'signer' | 'former'> = { signer: KEY, former: [] },
  ): Notary =>
    createNotary({
      log: {
        bounds: (topic) =>
          pass(() =>
            Array.from({ length: TOPICS[topic] ?? 0 }, (_, partition) => ({
              partition,
              start: starts.get(`${topic}/${partition}`) ?? 0,
              end: log.get(`${topic}/${partition}`)?.length ?? 0,
            })),
          ),
        async *replay(topic, partition, from, to) {
          yield* await pass(() => (log.get(`${topic}/${partition}`) ?? []).slice(from, to));
        },
      },
      blobs: {
        read: (path) => pass(() => blobs.get(path) ?? null),
        create: (path, bytes) =>
          pass(() => {
            if (blobs.has(path)) return false;
            put(path, bytes);
            return true;
          }),
        replace: (path, bytes, version) =>
          pass(() => {
            if ((blobs.get(path)?.version ?? null) !== version) return false;
            put(path, bytes);
            return true;
          }),
        remove: (path) => pass(() => void blobs.delete(path)),
      },
      notes: {
        read: () => pass(() => note),
        replace: (before, next) =>
          pass(() => {
            const same = before === null ? note === null : note?.size === before.size && note.root === before.root;
            if (same) note = { ...note, size: next.size, root: next.root };
            return same;
          }),
      },
      askWitnesses: async (submission) => {
        await remember(submission);
        return await askWitnesses(submission);
      },
      clock: { now: () => time_ms },
      ...{ paths, origin: ORIGIN, ...keys },
    });

  /** Faults of everything signed and published: forks, and heads that the log does not have. */
  const faults = async (): Promise<readonly string[]> => {
    const found = Array.from(signed, ([size, roots]) =>
      roots.size === 1 ? [] : [`${roots.size} trees of ${size} entries`],
    ).flat();
    const checkpoint = blobs.get(paths.checkpoint);
    if (checkpoint === undefined) return found;
    const opened = verifyCheckpoint(checkpoint.bytes.toString(), [KEY]);
    if (opened._tag === 'Left') return [...found, opened.left];
    const { size, root } = opened.right;
    const entries: Buffer[] = [];
    const reading = { read: async (path: string) => blobs.get(path) ?? null };
    for await (const entry of entriesFrom(reading, paths, 0, size)) {
      entries.push(leafHash(entry.bytes));
      for (const head of entry.heads) {
        const records = (log.get(`${head.topic}/${head.partition}`) ?? []).slice(0, head.size);
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

  /** Records that the published heads do not cover. */
  const unsigned = (one: Notary): number =>
    Array.from(log, ([place, records]) => records.length - (one.signed().sizes.get(place) ?? 0)).reduce(
      (a, b) => a + b,
    );

  /** The view of an auditor with access to the log and to the container. */
  const reading = () => ({
    log: {
      bounds: async (topic: string) => {
        const partitions = [...log.keys()].filter((place) => place.startsWith(`${topic}/`));
        return partitions.map((place) => {
          const partition = Number(place.slice(topic.length + 1));
          return { partition, start: starts.get(place) ?? 0, end: log.get(place)?.length ?? 0 };
        });
      },
      async *replay(topic: string, partition: number, from: number, to: number) {
        yield* (log.get(`${topic}/${partition}`) ?? []).slice(from, to);
      },
    },
    blobs: { read: async (path: string) => blobs.get(path) ?? null },
    paths,
  });

  return {
    ...{ append, notary, faults, unsigned, signed, log, starts, paths, reading },
    blobs: () => blobs,
    put,
    note: () => note,
    /** The contents of a backup, to restore later. */
    backup: () => {
      const [blobs_then, note_then] = [new Map(blobs), note];
      return {
        restoreBlobs: () => {
          blobs = new Map(
            Array.from(blobs_then, ([path, { bytes }]) => [path, { bytes, version: `restored ${versions}` }]),
          );
        },
        restoreNote: () => {
          note = note_then;
        },
      };
    },
    /** Sets the clock of the notary's machine. */
    setClock: (ms: number) => {
      time_ms = ms;
    },
    published: (): string => {
      const bytes = blobs.get(paths.checkpoint)?.bytes;
      return bytes === undefined ? 'nothing' : noteText({ text: bytes.toString(), signatures: [] });
    },
  };
};
