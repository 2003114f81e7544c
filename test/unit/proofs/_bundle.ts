import { generateKeyPairSync } from 'node:crypto';
import { encodeFrame } from '../../../platform/records/frame.ts';
import { encodePayload } from '../../../platform/records/record-decoder.ts';
import { BUNDLE_FORMAT, bundleText, type ProofBundle } from '../../../proofs/bundle/proof-bundle.ts';
import { type Head, headsEntryText } from '../../../proofs/heads/heads-entry.ts';
import { rootOf } from '../../../proofs/merkle/growing-tree.ts';
import { inclusionProof } from '../../../proofs/merkle/proofs.ts';
import { checkpointText } from '../../../proofs/notes/checkpoint.ts';
import { type SignerKey, signerKey } from '../../../proofs/notes/keys.ts';
import { noteSignature, noteText } from '../../../proofs/notes/signed-note.ts';
import { successionNote } from '../../../proofs/notes/succession.ts';
import { recordLeafData } from '../../../proofs/records/record-leaf.ts';
import { storedSchemaVersions } from '../../../schemas/avro-history.ts';
import { recordOfType } from '../../../schemas/records.ts';
import { assigned, completed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { grownBy, nodesOf } from './_trees.ts';

/** Proofs of all records of a render, as `renderctl prove` writes them, of a generated log. */

export const freshKey = (name = 'rendering/memory/2'): SignerKey =>
  signerKey('note', name, generateKeyPairSync('ed25519').privateKey);

export const LOG_KEY = freshKey();

const EVENTS = [
  requested(),
  prepared,
  assigned('att_1', 1),
  progressed('att_1'),
  finished('att_1'),
  completed('att_1'),
];
export const TYPES = EVENTS.map(({ type }) => type);

const idOf = (type: (typeof TYPES)[number]): number => 101 + TYPES.indexOf(type);

/** The interval between records of the render; the rest belong to other renders. */
const EVERY = 7;
const COUNT = 300;

const treeOf = (leaves: readonly Buffer[]) => {
  const whole = grownBy([leaves.length], leaves);
  return { root: rootOf(whole.tree), prove: (index: number) => inclusionProof(index, leaves.length, nodesOf(whole)) };
};

const recordsIn = (topic: string, partition: number) =>
  Array.from({ length: COUNT }, (_, offset) => {
    const event = offset % EVERY === 3 ? EVENTS[Math.floor(offset / EVERY)] : undefined;
    const value =
      event === undefined ? Buffer.from(`other ${offset}`) : encodeFrame(idOf(event.type), encodePayload(event));
    const key = Buffer.from(event === undefined ? `rend_${offset}` : event.render_id);
    return { topic, partition, offset, append_time_ms: 1_764_000_000_000 + offset, key, value };
  });

/** The same render also has records in two more signed partitions. */
const PLACES = [
  ['render-events', 0],
  ['render-events', 1],
  ['render-status', 1],
] as const;

/** @param successors keys to which the key of the log handed over, in sequence, before this was signed */
export const madeBundles = async (successors: readonly SignerKey[] = []): Promise<readonly ProofBundle[]> => {
  const partitions = PLACES.map(([topic, partition]) => {
    const records = recordsIn(topic, partition);
    return { topic, partition, records, tree: treeOf(records.map(recordLeafData)) };
  });
  const heads: Head[] = partitions.map(({ topic, partition, tree }) => ({
    ...{ topic, partition, size: COUNT },
    root: tree.root,
  }));
  const entries = Array.from({ length: 5 }, (_, i) =>
    Buffer.from(headsEntryText({ time_ms: 1_764_000_100_000 + i, heads: i === 2 ? heads : heads.slice(0, 1) })),
  );
  const log = treeOf(entries);
  const text = checkpointText({ origin: LOG_KEY.name, size: entries.length, root: log.root });
  const note = noteText({ text, signatures: [noteSignature(successors.at(-1) ?? LOG_KEY, text)] });
  const successions = successors.map((to, i) =>
    successionNote({ from: successors[i - 1] ?? LOG_KEY, to, size: i + 1, root: log.root }),
  );
  const entry = { index: 2, text: entries[2]?.toString() ?? '', proof: [...(await log.prove(2))] };
  const schemas = Object.fromEntries(
    EVENTS.map(({ type }) => [
      String(idOf(type)),
      storedSchemaVersions(recordOfType(type).full_name).at(-1)?.text ?? '',
    ]),
  );
  return await Promise.all(
    partitions.map(async ({ records, tree }) => {
      const own = records.filter(({ key }) => key.toString() === requested().render_id);
      const proven = own.map(async (one) => ({ ...one, proof: [...(await tree.prove(one.offset))] }));
      return {
        ...{ format: BUNDLE_FORMAT, render: requested().render_id, checkpoint: note, entry, schemas, successions },
        records: await Promise.all(proven),
      };
    }),
  );
};

export const jsonOf = (bundle: ProofBundle): Record<string, unknown> => JSON.parse(bundleText(bundle));
