import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openProofBlobs } from '../../platform/blob-store/azure-proof-blobs.ts';
import { originOf } from '../../platform/proof-log/origin.ts';
import { proofPaths } from '../../platform/proof-log/proof-paths.ts';
import { type SignerKey, signerKey, signingKeyOf, verifierKeyText } from '../../proofs/notes/keys.ts';
import { type Stack, startStack } from '../../stack/launcher.ts';
import type { ServerName } from '../../stack/servers/servers.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { appendForged, forgedHead, forgeTiles, type KeyHolder } from '../helpers/key-holder.ts';
import { caller } from '../helpers/renderctl.ts';
import { batchesOf, datedTo, flippedAt, movedTo, type SegmentBatch } from '../helpers/segment-file.ts';
import { startTestStack } from '../helpers/test-stack.ts';

// Changes of the log by a person with the broker's disk. An earlier checkpoint reveals each of them.
type World = {
  readonly folder: string;
  readonly others: Stack;
  readonly kafka: string;
  readonly options: readonly string[];
  readonly signer: SignerKey;
};

const test = anyTest as TestFn<World>;

const SERVERS: readonly ServerName[] = ['kafka', 'registry', 'store', 'blob'];
const SIGNS_AS = { NOTARY_ORIGIN: 'rendering.test/log' };
const RECORDS = 700;
/** Stored tiles name the changed record only below this offset. */
const IN_TILES = 512;

const textOf = (n: number): string => `record ${String(n).padStart(4, '0')} of the log`;

test.before(async (t) => {
  t.timeout(300_000);
  const folder = await mkdtemp(join(tmpdir(), 'segments '));
  const data = join(folder, 'data');
  const stack = await startTestStack({
    ...{ dataDir: data, own_servers: SERVERS, components: ['notary'] },
    env: { ...SIGNS_AS, NOTARY_INTERVAL_S: '1' },
  });
  const { records, close } = await openStackClients(stack.env);
  for (let n = 0; n < RECORDS; n += 10) {
    const appended = await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        const value = Buffer.from(textOf(n + i));
        return records.log.append({ topic: 'render-events', partition: 0, key: `rend_${n + i}`, value });
      }),
    );
    const fault = appended.find(E.isLeft);
    if (fault !== undefined) throw new Error(fault.left.message);
  }
  const signed = await caller(stack.env)('notary', 'sign');
  if (signed.exit_code !== 0) throw new Error(signed.stderr);
  const { AZURE_STORAGE_CONNECTION_STRING: connection_string = '', BLOB_CONTAINER = 'renders' } = stack.env;
  const blobs = openProofBlobs({ connection_string, public_url: undefined, container: `${BLOB_CONTAINER}-proofs` });
  const origin = await originOf(records.log, SIGNS_AS.NOTARY_ORIGIN, '');
  const checkpoint = await blobs.read(proofPaths(origin).checkpoint);
  const private_key = signingKeyOf(stack.env.NOTARY_KEY ?? '');
  if (private_key === undefined || checkpoint === null) throw new Error('nothing was signed');
  await writeFile(join(folder, 'checkpoint'), checkpoint.bytes);
  await close();
  await stack.stop();
  const kafka = join(folder, 'kafka');
  await cp(join(data, 'kafka'), kafka, { recursive: true });
  const others = await startStack({ dataDir: data, components: [], env: { KAFKA_BROKERS: '127.0.0.1:1' } });
  const signer = signerKey('note', origin, private_key);
  const options = ['--key', verifierKeyText(signer), '--checkpoint', join(folder, 'checkpoint')];
  t.context = { folder, others, kafka, options, signer };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.others?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const SEGMENT = '00000000000000000000.log';

const verified = async (
  { folder, kafka, others, options }: World,
  change: (batches: readonly SegmentBatch[], segment: Buffer) => readonly Buffer[],
  then: (env: Readonly<Record<string, string>>) => Promise<void> = async () => undefined,
  what: readonly string[] = ['topic', 'render-events'],
) => {
  const data = await mkdtemp(join(folder, 'changed '));
  await cp(kafka, join(data, 'kafka'), { recursive: true });
  const logs = join(data, 'kafka', 'log');
  const partition = join(logs, 'render-events-0');
  const segment = await readFile(join(partition, SEGMENT));
  await writeFile(join(partition, SEGMENT), Buffer.concat(change(batchesOf(segment), segment)));
  // The broker creates the indexes again from the changed segment.
  for (const name of await readdir(partition)) if (/index$|snapshot$/.test(name)) await rm(join(partition, name));
  await rm(join(logs, '.kafka_cleanshutdown'), { force: true });
  const { MONGODB_URL = '', SCHEMA_REGISTRY_URL = '', AZURE_STORAGE_CONNECTION_STRING = '' } = others.env;
  const env = { MONGODB_URL, SCHEMA_REGISTRY_URL, AZURE_STORAGE_CONNECTION_STRING };
  const stack = await startStack({ dataDir: data, components: [], env });
  try {
    const { KAFKA_BROKERS = '' } = stack.env;
    const own = { ...others.env, ...SIGNS_AS, KAFKA_BROKERS };
    await then(own);
    return await caller(own)('verify', ...what, ...options);
  } finally {
    await stack.stop();
    await rm(data, { recursive: true, force: true });
  }
};

const at = (batches: readonly SegmentBatch[], offset: number, change: (batch: SegmentBatch) => readonly Buffer[]) =>
  batches.flatMap((batch) =>
    batch.base_offset <= offset && offset <= batch.last_offset ? change(batch) : [batch.bytes],
  );

const indexOf = (batches: readonly SegmentBatch[], offset: number): number =>
  batches.findIndex(({ base_offset, last_offset }) => base_offset <= offset && offset <= last_offset);

/** The batches in sequence from offset 0. */
const renumbered = (batches: readonly SegmentBatch[]): readonly Buffer[] => {
  let next = 0;
  return batches.map((batch) => {
    const moved = movedTo(batch, next);
    next += batch.last_offset - batch.base_offset + 1;
    return moved;
  });
};

test.serial('an unchanged copy of the segment files verifies', async (t) => {
  t.timeout(120_000);
  const { exit_code, stdout, stderr } = await verified(t.context, (_, segment) => [segment]);
  t.is(exit_code, 0, stderr);
  t.regex(stdout, /render-events\/0 +700 +700/);
});

const namedIn = (text: string): readonly [number, number] => {
  const [, one, from, to] = /render-events\/0: (?:record (\d+)|a record from (\d+) to (\d+)) /.exec(text) ?? [];
  const [, by_tiles] = /those of then, one from (\d+) on/.exec(text) ?? [];
  return [Number(one ?? by_tiles ?? from), Number(one ?? to)];
};

const signedBatches = async ({ kafka }: World): Promise<readonly SegmentBatch[]> =>
  batchesOf(await readFile(join(kafka, 'log', 'render-events-0', SEGMENT)));

type Batches = readonly SegmentBatch[];

const baseOf = (batches: Batches, offset: number): number => batches[indexOf(batches, offset)]?.base_offset ?? -1;

/** The list without the batches between two indexes. */
const without = (batches: Batches, from: number, to: number): Batches => batches.toSpliced(from, to - from);

const bytesOf = (batches: Batches): readonly Buffer[] => batches.map(({ bytes }) => bytes);

const swapped = (batches: Batches, offset: number): Batches => {
  const i = indexOf(batches, offset);
  return [...batches.slice(0, i), ...batches.slice(i, i + 2).toReversed(), ...batches.slice(i + 2)];
};

const TAMPERINGS: readonly (readonly [
  string,
  (batches: Batches) => readonly Buffer[],
  (batches: Batches) => number,
])[] = [
  ['a bit of a value is flipped', (all) => at(all, 100, (one) => [flippedAt(one, textOf(100))]), () => 100],
  ['a bit of a key is flipped', (all) => at(all, 300, (one) => [flippedAt(one, 'rend_300')]), () => 300],
  [
    'a bit of one of the newest records is flipped',
    (all) => at(all, 600, (one) => [flippedAt(one, textOf(600))]),
    () => 600,
  ],
  [
    'the time of a batch is changed',
    (all) => at(all, 200, (one) => [datedTo(one, -60_000)]),
    (all) => baseOf(all, 200),
  ],
  ['a batch is deleted', (all) => at(all, 150, () => []), (all) => baseOf(all, 150)],
  [
    'a batch is deleted and the following batches move up',
    (all) => renumbered(without(all, indexOf(all, 150), indexOf(all, 150) + 1)),
    (all) => baseOf(all, 150),
  ],
  ['two batches are swapped', (all) => renumbered(swapped(all, 250)), (all) => baseOf(all, 250)],
  [
    'a batch is duplicated',
    (all) => renumbered(all.toSpliced(indexOf(all, 350), 0, ...all.slice(10, 11))),
    (all) => baseOf(all, 350),
  ],
  ['all batches after one are cut off', (all) => bytesOf(all.slice(0, indexOf(all, 400))), (all) => baseOf(all, 400)],
  ['the last batch is cut off', (all) => bytesOf(all.slice(0, -1)), (all) => all.at(-1)?.base_offset ?? -1],
  // At the start the broker drops a batch with a wrong checksum and all later ones.
  [
    'a bit is flipped and the checksum is not updated',
    (all) => at(all, 120, (one) => [flippedAt(one, textOf(120), false)]),
    (all) => baseOf(all, 120),
  ],
  [
    'the segment ends within a batch',
    (all) => [Buffer.concat(bytesOf(all)).subarray(0, -10)],
    (all) => all.at(-1)?.base_offset ?? -1,
  ],
];

for (const [what, change, firstOf] of TAMPERINGS)
  test.serial(`the verifier names the difference if ${what}`, async (t) => {
    t.timeout(120_000);
    const first_bad = firstOf(await signedBatches(t.context));
    const { exit_code, stderr } = await verified(t.context, change);
    t.is(exit_code, 1);
    const [from, to] = namedIn(stderr);
    t.log(`${first_bad}: ${stderr.split('\n').find((line) => line.includes('render-events/0')) ?? stderr}`);
    t.true(from <= first_bad && first_bad <= to, `${from} to ${to}, and it is ${first_bad}`);
    // For the newest records no stored tile names the record that differs.
    if (first_bad < IN_TILES) t.is(from, first_bad);
    else t.true(to - from < 256);
  });

const signAnew = async (env: Readonly<Record<string, string>>, signer: SignerKey): Promise<void> => {
  const place = { topic: 'render-events', partition: 0 };
  const { records, close } = await openStackClients(env);
  try {
    for (let n = 0; n < 12; n += 1) {
      const value = Buffer.from(textOf(RECORDS + n));
      const appended = await records.log.append({ ...place, key: `rend_${RECORDS + n}`, value });
      if (E.isLeft(appended)) throw new Error(appended.left.message);
    }
    const { AZURE_STORAGE_CONNECTION_STRING: connection_string = '', BLOB_CONTAINER = 'renders' } = env;
    const blobs = openProofBlobs({ connection_string, public_url: undefined, container: `${BLOB_CONTAINER}-proofs` });
    const holder: KeyHolder = {
      ...{ signer, log: records.log, blobs, paths: proofPaths(signer.name) },
      put: async (path, bytes) => void (await blobs.replace(path, bytes, (await blobs.read(path))?.version ?? null)),
    };
    await forgeTiles(holder, place, RECORDS + 12);
    await appendForged(holder, [{ time_ms: Date.now(), heads: [await forgedHead(holder, place, RECORDS + 12)] }]);
  } finally {
    await close();
  }
};

// Must be the last test, because it changes the proofs.
test.serial("a checkpoint reveals a value that the key's owner changed and signed again", async (t) => {
  t.timeout(180_000);
  const changed = (all: Batches) => at(all, 100, (one) => [flippedAt(one, textOf(100))]);
  for (const [i, what] of [['log'], ['topic', 'render-events'], ['all']].entries()) {
    const then = (env: Readonly<Record<string, string>>) => signAnew(env, t.context.signer);
    const { exit_code, stderr } = await verified(t.context, changed, i === 0 ? then : undefined, what);
    t.is(exit_code, 1, stderr);
    const [, first, last] = /a record from (\d+) to (\d+) is not what was signed/.exec(stderr) ?? [];
    t.true(Number(first) <= 100 && 100 <= Number(last), stderr);
    t.regex(stderr, /as entry \d+ of the log of heads has it/);
  }
});
