import * as E from 'fp-ts/lib/Either.js';
import { readDeployment } from '../../platform/event-log/deployment-log.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { readLastHeads, type StoredEntry } from '../../platform/proof-log/heads-log.ts';
import { loadListedKeys, loadSuccessions } from '../../platform/proof-log/key-chain.ts';
import { partitionText } from '../../platform/proof-log/notarized-topics.ts';
import { partitionTreeAt } from '../../platform/proof-log/partition-tree.ts';
import { headsTile, knownPartitionTile } from '../../platform/proof-log/stored-tiles.ts';
import { parseFrame } from '../../platform/records/frame.ts';
import { savedSchemasIn } from '../../platform/records/saved-schemas.ts';
import { BUNDLE_FORMAT, type ProofBundle, verifyBundle } from '../../proofs/bundle/proof-bundle.ts';
import type { Head } from '../../proofs/heads/heads-entry.ts';
import { rootOf } from '../../proofs/merkle/growing-tree.ts';
import { inclusionProof } from '../../proofs/merkle/proofs.ts';
import { tiledNodes, tileReaderWithEdge } from '../../proofs/tiles/tiled-nodes.ts';
import type { Connection } from '../connection.ts';
import type { CliFault } from '../fault.ts';
import { type Proofs, readListedKeys } from '../notary/proofs.ts';
import { checkpointCovering } from '../notary/sign-now.ts';
import { recordsOfRender } from '../trace/read-trace.ts';

const TOPIC = 'render-events';

const schemasOf = async ({ log }: Proofs, records: readonly LogRecord[]): Promise<Readonly<Record<string, string>>> => {
  const wanted = new Set(records.map(({ value }) => parseFrame(value)?.schema_id));
  const saved = savedSchemasIn((await readDeployment(log)).entries);
  return Object.fromEntries(saved.flatMap(({ id, schema }) => (wanted.has(id) ? [[String(id), schema]] : [])));
};

const bundleOf = async (
  proofs: Proofs,
  render: string,
  records: readonly LogRecord[],
  head: Head & { readonly entry: StoredEntry },
  signed: { readonly text: string; readonly size: number },
): Promise<E.Either<CliFault, ProofBundle>> => {
  const { log, blobs, paths } = proofs;
  const tree = await partitionTreeAt(log, blobs, paths, head, head.size);
  if (!rootOf(tree).equals(head.root)) {
    const differences = [
      `the first ${head.size} records differ from the signed records: "renderctl verify topic ${TOPIC}" shows the first difference`,
    ];
    return E.left({ tag: 'not_as_signed', what: partitionText(head), differences });
  }
  const nodes = tiledNodes(head.size, tileReaderWithEdge(tree.edge, knownPartitionTile(blobs, paths, head)));
  const proven: ProofBundle['records'] = [];
  for (const { topic, partition, offset, append_time_ms, key, value } of records) {
    const proof = [...(await inclusionProof(offset, head.size, nodes))];
    proven.push({ topic, partition, offset, append_time_ms, key, value, proof });
  }
  const successions = await loadSuccessions(proofs, await loadListedKeys(proofs));
  const { index, bytes } = head.entry;
  const proof = [...(await inclusionProof(index, signed.size, tiledNodes(signed.size, headsTile(blobs, paths))))];
  return E.right({
    ...{ format: BUNDLE_FORMAT, render, checkpoint: signed.text },
    entry: { index, text: bytes.toString('utf8'), proof },
    records: proven,
    schemas: await schemasOf(proofs, records),
    successions: [...successions.values()],
  });
};

/** Proves that the log has all records of a render. Unsigned records are signed first. */
export const proveRender = async (
  connection: Pick<Connection, 'db'>,
  proofs: Proofs,
  render: string,
): Promise<E.Either<CliFault, ProofBundle>> => {
  const records: LogRecord[] = [];
  for await (const record of recordsOfRender(proofs.log, render)) records.push(record);
  const last = records.at(-1);
  if (last === undefined) return E.left({ tag: 'not_found', what: 'render', id: render, list: null });
  const place = { topic: last.topic, partition: last.partition };
  const signed = await checkpointCovering(connection, proofs, [{ ...place, end: last.offset + 1 }]);
  if (E.isLeft(signed)) return signed;
  const head = (await readLastHeads(proofs.blobs, proofs.paths, signed.right.size)).get(partitionText(place));
  if (head === undefined) throw new Error(`the signed log has no entry for ${partitionText(place)}`);
  const bundle = await bundleOf(proofs, render, records, head, signed.right);
  if (E.isLeft(bundle)) return bundle;
  const keys = await readListedKeys(proofs);
  if (E.isLeft(keys)) return keys;
  // Verify the proof before the user gets it.
  const proven = verifyBundle(bundle.right, keys.right, []);
  return E.isRight(proven)
    ? bundle
    : E.left({ tag: 'not_as_signed', what: `the log of ${render}`, differences: [proven.left] });
};
