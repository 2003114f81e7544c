import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import anyTest, { type TestFn } from 'ava';
import avsc from 'avsc';
import { execa } from 'execa';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import type { Seal } from '../../../domain/event/seal.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import { sendFile } from '../../../platform/blob-store/azure-files.ts';
import { readKeptCopies } from '../../../platform/blob-store/azure-kept-copies.ts';
import { openUploadBlobs } from '../../../platform/blob-store/azure-upload-blobs.ts';
import { openVersionedBlobs } from '../../../platform/blob-store/azure-versioned-blobs.ts';
import { BlobFault, type BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { type Configuration, decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import {
  BLOB_STORE,
  DEPLOYMENT,
  EVENT_LOG,
  READ_STORE,
  SCHEMA_REGISTRY,
} from '../../../platform/configuration/parts.ts';
import { deployTopics } from '../../../platform/event-log/deploy-topics.ts';
import { openEventLog } from '../../../platform/event-log/kafka-event-log.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openReadStore } from '../../../platform/read-store/mongodb-read-store.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { openRecordLog } from '../../../platform/records/avro-record-log.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { registerSchemas } from '../../../platform/records/register.ts';
import { openKeyBlobs } from '../../../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../../../platform/seals/opener.ts';
import { createSealer } from '../../../platform/seals/sealer.ts';
import { keyTreePath } from '../../../schemas/blobs/paths.ts';
import { RECORDS } from '../../../schemas/records.ts';
import { decodeKeyTree, encodeKeyTree, puncture } from '../../../schemas/seal/key-tree.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { containerOf } from '../../helpers/found-in.ts';
import { SAMPLES } from '../../helpers/record-samples.ts';
import { startStallingProxy } from '../../helpers/stalling-proxy.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

// Real registry, read store and blob store. The tests share one set of servers.
const PARTS = {
  log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  store: READ_STORE,
  blobs: BLOB_STORE,
  deployment: DEPLOYMENT,
};

type World = {
  readonly folder: string;
  readonly stack: Stack;
  readonly settings: Configuration<typeof PARTS>;
  readonly blobs: BlobStore;
  readonly store: ReadStore;
  readonly records: RecordLog;
};

const test = anyTest as TestFn<World>;
const logger = createLogger('test', 'error');
const [SAMPLE] = SAMPLES;

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'stores '));
  const stack = await startTestStack({ own_servers: ['registry', 'blob'], dataDir: folder, components: [] });
  const decoded = decodeConfiguration(stack.env, PARTS);
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const settings = decoded.right;
  const log = openEventLog({ settings: settings.log, client_id: 'test', logger, on_crash: (error) => t.log(error) });
  const ours = { settings: settings.registry, log, logger, appends: ['RenderRequested'] } as const;
  await t.throwsAsync(openRecordLog(ours), { message: /lacks our schema of .*RenderRequested: run the deploy step/ });
  const undeployed = await openRecordLog({ ...ours, appends: [] });
  const appended = SAMPLE && (await undeployed.append('render-events', 'rend_1', SAMPLE));
  t.like(appended, { left: { tag: 'not_appended' } });
  t.regex(JSON.stringify(appended), /lacks our schema of .*: run the deploy step/);
  await deployTopics(settings.log, settings.deployment, logger);
  // Deploy steps of two machines run concurrently.
  const [ids, others] = await Promise.all([
    registerSchemas(settings.registry, RECORDS),
    registerSchemas(settings.registry, RECORDS),
  ]);
  t.deepEqual(ids, others);
  const records = await openRecordLog(ours);
  const store = await openReadStore({ settings: settings.store, app_name: 'test', logger });
  const blobs = openBlobStore(settings.blobs);
  await blobs.ensureContainer();
  t.context = { folder, stack, settings, blobs, store, records };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  const { records, store, stack, folder } = t.context;
  await records?.log.close();
  await store?.close();
  await stack?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test.serial('a record reads back from the log as it was appended', async (t) => {
  t.truthy(SAMPLE);
  if (SAMPLE === undefined) return;
  const { settings } = t.context;
  const { log } = t.context.records;
  const records = await openRecordLog({ settings: settings.registry, log, logger, appends: [] });
  const headers = { traceparent: '00-1-2-01' };
  const appended = await records.append('render-events', 'rend_1', SAMPLE, { partition: 2, headers });
  t.true(isRight(appended));
  if (isLeft(appended)) return;
  t.is(appended.right.partition, 2);
  const [record] = await records.log.read([{ topic: 'render-events', ...appended.right }]);
  t.deepEqual(await records.decode(record?.value ?? null), { tag: 'record', record: SAMPLE });
  t.deepEqual(record?.headers, headers);
});

test.serial('a broker that answers late is healthy for a caller that waits longer', async (t) => {
  const { log: settings } = t.context.settings;
  const proxy = await startStallingProxy(Number(settings.brokers[0]?.split(':').at(-1)));
  t.teardown(() => proxy.close());
  proxy.stall('answers', 0);
  const through = { ...settings, brokers: [`127.0.0.1:${proxy.port}`] };
  const log = openEventLog({ settings: through, client_id: 'late', logger, on_crash: (error) => t.log(error) });
  t.teardown(() => log.close());
  const patient = log.healthy(60_000);
  t.false(await log.healthy());
  proxy.heal();
  t.true(await patient);
});

test.serial('undecodable bytes are distinguished from our records', async (t) => {
  const { records } = t.context;
  const framed = (id: number, payload: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeInt32BE(id, 1);
    return Buffer.concat([head, payload]);
  };
  const { settings } = t.context;
  const id = [...(await registerSchemas(settings.registry, RECORDS)).values()][0] ?? 0;
  const other = { type: 'record', name: 'Tomorrow', namespace: 'rendering.events', fields: [] } as const;
  const [unknown] = (await registerSchemas(settings.registry, [{ full_name: 'x.Tomorrow', avro: other }])).values();

  t.like(await records.decode(null), { tag: 'poison' });
  t.like(await records.decode(Buffer.from('not avro')), { tag: 'poison' });
  t.like(await records.decode(framed(id, Buffer.from([255]))), { tag: 'poison' });
  t.like(await records.decode(framed(1_000_000, Buffer.alloc(0))), { tag: 'unknown' });
  t.like(await records.decode(framed(unknown ?? 0, Buffer.alloc(0))), { tag: 'unknown' });
});

test.serial('a record that no caller may append is refused with an error', async (t) => {
  const { records } = t.context;
  const requested = SAMPLES.find((sample) => sample.type === 'RenderRequested');
  if (requested?.type !== 'RenderRequested') return t.fail('there is no sample');
  await t.throwsAsync(records.append('render-events', 'a', { ...requested, name: 'half \ud83d' }), {
    message: /RenderRequested\.name is not well-formed/,
  });
  await t.throwsAsync(records.append('render-events', 'a', { ...requested, name: 'x'.repeat(70_000) }), {
    message: /an event of a render has at most/,
  });
  await t.throwsAsync(records.append('render-events', 'a', { ...requested, project_version: 1.5 }));
});

test.serial('a schema change that would break readers is refused with the registry’s reason', async (t) => {
  const { registry } = t.context.settings;
  const record = (...fields: readonly { readonly name: string; readonly type: string }[]) =>
    [{ full_name: 'test.Kept', avro: { type: 'record', name: 'Kept', namespace: 'test', fields } }] as const;
  const first = await registerSchemas(registry, record({ name: 'a', type: 'string' }));
  t.deepEqual(await registerSchemas(registry, record({ name: 'a', type: 'string' })), first);
  const fault = await t.throwsAsync(registerSchemas(registry, record({ name: 'b', type: 'string' })));
  t.regex(fault?.message ?? '', /^test\.Kept: .*compatib/i);
});

test.serial('an outsider can read the framing: magic byte, registry id, Avro', async (t) => {
  const { records, settings } = t.context;
  if (SAMPLE === undefined) return t.fail('there is no sample');
  const appended = await records.append('render-events', 'a', SAMPLE);
  if (isLeft(appended)) return t.fail(appended.left.message);
  const [record] = await records.log.read([{ topic: 'render-events', ...appended.right }]);
  const id = record?.value?.readInt32BE(1);
  const answer = await fetch(`${settings.registry.url}/schemas/ids/${id}`);
  const { schema } = (await answer.json()) as { schema: string };
  const type = avsc.Type.forSchema(JSON.parse(schema));
  const outside = JSON.parse(type.toString(type.fromBuffer(record?.value?.subarray(5) ?? Buffer.alloc(0))));
  t.is(record?.value?.[0], 0);
  t.is(outside.meta.event_id, SAMPLE.meta.event_id);
});

test.serial('a payload is stored under its own path with a salt, and verified', async (t) => {
  const { blobs, settings } = t.context;
  const bytes = Buffer.from('{"email":"a@example.com"}');
  const first = await blobs.putPayload('users/user_1/email.json', bytes, 'application/json');
  const second = await blobs.putPayload('users/user_1/email.json', bytes, 'application/json');
  t.not(first.path, second.path);
  t.not(first.sha256, second.sha256, 'the salt is new');
  t.not(first.sha256, createHash('sha256').update(bytes).digest('hex'), 'the log does not confirm a guess');
  t.deepEqual(await blobs.getPayload(first), bytes);

  await t.throwsAsync(blobs.getPayload({ ...first, sha256: second.sha256 }), {
    name: 'BlobFault',
    message: /hash differs/,
  });
  const container = BlobServiceClient.fromConnectionString(settings.blobs.connection_string).getContainerClient(
    settings.blobs.container,
  );
  const salted = await container.getBlobClient(first.path).getProperties();
  await container.getBlockBlobClient(first.path).upload('{}', 2, { metadata: salted.metadata ?? {} });
  t.like(await t.throwsAsync(blobs.getPayload(first)), { tag: 'corrupt' });
  t.is(await blobs.deletePrefix('users/user_1/'), 2);
  t.like(await t.throwsAsync(blobs.getPayload(second)), { tag: 'not_found' });
  await t.throwsAsync(blobs.deletePrefix(''), { instanceOf: TypeError });
});

test.serial('an empty payload is stored too', async (t) => {
  const { blobs } = t.context;
  const stored = await blobs.putPayload('projects/p/empty', Buffer.alloc(0), 'application/json');
  t.is((await blobs.getPayload(stored)).length, 0);
});

test.serial('acknowledged blobs survive a kill of Azurite', async (t) => {
  t.timeout(180_000);
  const { blobs, stack } = t.context;
  const server = stack.server('blob');
  const stored = await Promise.all(
    Array.from({ length: 20 }, (_, n) => blobs.putPayload(`killed/${n}`, Buffer.from(`payload ${n}`), 'text/plain')),
  );
  const pid = server.pid();
  server.kill('SIGKILL');
  await pollUntil('Azurite has another pid', async () => server.pid() !== null && server.pid() !== pid);
  await server.untilReady();
  for (const [n, one] of stored.entries()) t.is((await blobs.getPayload(one)).toString(), `payload ${n}`);
});

test.serial('an uploaded file is downloadable only by signed URL, under its name', async (t) => {
  const { blobs, folder } = t.context;
  const file = join(folder, 'up.mp4');
  const bytes = Buffer.alloc(10_000_000, 'video ');
  await writeFile(file, bytes);
  const path = 'renders/rend_1/att_1/master.mp4';
  const stored = await blobs.upload(path, file, { content_type: 'video/mp4' });
  t.deepEqual(stored, { size_bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  t.true(await blobs.exists(path));

  const down = join(folder, 'down.mp4');
  const url = await blobs.signedUrl(path, { file_name: 'Été "sale".mp4', content_type: 'video/mp4' });
  const answer = await fetch(url);
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'video/mp4');
  t.regex(
    answer.headers.get('content-disposition') ?? '',
    /^attachment; filename="_t_ +sale *\.mp4"; filename\*=UTF-8''%C3%89t%C3%A9/,
  );
  t.true(Buffer.from(await answer.arrayBuffer()).equals(bytes));

  for (const quote of ["'", '"']) {
    const shell = await execa('sh', [
      '-c',
      `curl -sS -o ${quote}${down}${quote} -w '%{http_code}' ${quote}${url}${quote}`,
    ]);
    t.is(shell.stdout, '200', `curl in a shell, in ${quote}`);
    t.true((await readFile(down)).equals(bytes));
  }

  t.not((await fetch(url.split('?', 1)[0] ?? '')).status, 200, 'the container is private');
  t.is((await fetch(url.replace('master.mp4', 'other.mp4'))).status, 403, 'the signature covers one blob');
  t.is((await fetch(url, { method: 'DELETE' })).status, 403, 'and only reads');

  t.deepEqual(await blobs.download(path, down), stored);
  t.true((await readFile(down)).equals(bytes));
  t.like(await t.throwsAsync(blobs.download('renders/none', join(folder, 'none'))), { tag: 'not_found' });
});

const put = (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', body, headers: { 'x-ms-blob-type': 'BlockBlob', ...headers } });

test.serial('the URL of an upload writes one blob and does nothing else', async (t) => {
  const uploads = openUploadBlobs(t.context.settings.blobs);
  const path = 'accounts/acc_1/quarantine/upload_1';
  t.is(await uploads.find(path), null);
  const { url } = await uploads.writeUrl(path);
  t.is((await put(url, 'bytes')).status, 201);
  t.is((await put(url.replace('upload_1', 'upload_2'), 'bytes')).status, 403, 'the signature covers one blob');
  t.is((await fetch(url)).status, 403, 'no reading');
  t.is((await fetch(`${url}&comp=blocklist&blocklisttype=all`)).status, 403, 'no lists of blocks');
  t.is((await fetch(url, { method: 'DELETE' })).status, 403, 'no deleting');
  t.is((await fetch(url, { method: 'HEAD' })).status, 403, 'no properties');
  const other = url.replace('/upload_1?', '/../uploads/upload_1/1?');
  t.is((await put(other, 'bytes')).status, 403, 'no path outside of the quarantine');
  const container = url.replace('/accounts/acc_1/quarantine/upload_1?', '?restype=container&comp=list&');
  t.is((await fetch(container)).status, 403, 'no listing');
  t.like(await uploads.find(path), { size_bytes: 5, usable: true });
});

test.serial('staged blocks of an upload are listed before they are committed', async (t) => {
  const uploads = openUploadBlobs(t.context.settings.blobs);
  const path = 'accounts/acc_1/quarantine/upload_blocks';
  const { url } = await uploads.writeUrl(path);
  t.deepEqual(await uploads.stagedBlocks(path), []);
  const id = Buffer.from('block-0001').toString('base64');
  t.is((await put(`${url}&comp=block&blockid=${encodeURIComponent(id)}`, Buffer.alloc(1000))).status, 201);
  t.deepEqual(await uploads.stagedBlocks(path), [{ id, size_bytes: 1000 }]);
  t.is(await uploads.find(path), null, 'no blob without a committed list');
  const list = `<BlockList><Latest>${id}</Latest></BlockList>`;
  // With the header x-ms-blob-type, Azurite would store the list as the blob.
  t.is((await fetch(`${url}&comp=blocklist`, { method: 'PUT', body: list })).status, 201);
  t.like(await uploads.find(path), { size_bytes: 1000 });
});

test.serial('a copy has the version that was seen, and no metadata of the client', async (t) => {
  const uploads = openUploadBlobs(t.context.settings.blobs);
  const { folder } = t.context;
  const [from, to] = ['accounts/acc_1/quarantine/upload_copy', 'accounts/acc_1/uploads/upload_copy/1'];
  const signal = AbortSignal.timeout(20_000);
  const { url } = await uploads.writeUrl(from);
  await put(url, 'first', { 'x-ms-meta-sha256': 'a lie' });
  const first = await uploads.find(from);
  await put(url, 'second');
  t.is(await uploads.copy(from, first?.version ?? '', to, signal), 'changed');
  t.is(await uploads.copy('accounts/acc_1/quarantine/none', '"0x1"', to, signal), 'changed');
  await put(url, 'third', { 'x-ms-meta-sha256': 'a lie' });
  const third = await uploads.find(from);
  t.is(await uploads.copy(from, third?.version ?? '', to, signal), 'copied');
  await put(url, 'fourth');
  const sha256 = createHash('sha256').update('third').digest('hex');
  t.deepEqual(await uploads.download(to, join(folder, 'copied'), signal), { size_bytes: 5, sha256 });
  await uploads.label(to, sha256, 'text/plain', signal);
  t.like(await t.context.blobs.download(to, join(folder, 'labelled')), { sha256 });
  t.deepEqual(await uploads.list('accounts/acc_1/uploads/upload_copy/'), [to]);
});

test.serial('an upload is removed although the client leased and snapshotted it', async (t) => {
  const uploads = openUploadBlobs(t.context.settings.blobs);
  const path = 'accounts/acc_1/quarantine/upload_leased';
  const { url } = await uploads.writeUrl(path);
  await put(url, 'bytes');
  t.is((await fetch(`${url}&comp=snapshot`, { method: 'PUT' })).status, 201);
  const headers = { 'x-ms-lease-action': 'acquire', 'x-ms-lease-duration': '-1' };
  t.is((await fetch(`${url}&comp=lease`, { method: 'PUT', headers })).status, 201);
  await uploads.remove(path, '"0x1"');
  t.like(await uploads.find(path), { size_bytes: 5 }, 'it has another version');
  await uploads.remove(path);
  t.is(await uploads.find(path), null);
  await uploads.remove(path);
});

test.serial('a list of blocks that is too long is not parsed', async (t) => {
  const [path, id] = ['accounts/acc_1/quarantine/upload_many', Buffer.from('block-0001').toString('base64')];
  const { url } = await openUploadBlobs(t.context.settings.blobs).writeUrl(path);
  t.is((await put(`${url}&comp=block&blockid=${encodeURIComponent(id)}`, 'bytes')).status, 201);
  const [within, beyond] = [2_000, 100].map((most) => openUploadBlobs(t.context.settings.blobs, most));
  t.is((await within?.stagedBlocks(path))?.length, 1);
  t.is(await beyond?.stagedBlocks(path), null);
});

test.serial('a blob that is no block blob is not usable as an upload', async (t) => {
  const uploads = openUploadBlobs(t.context.settings.blobs);
  const path = 'accounts/acc_1/quarantine/upload_page';
  const { url } = await uploads.writeUrl(path);
  t.is((await put(url, '', { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '512' })).status, 201);
  t.like(await uploads.find(path), { usable: false });
  t.deepEqual(await uploads.stagedBlocks(path), []);
});

test.serial('a large file is uploaded in blocks and downloads unchanged', async (t) => {
  const { blobs, folder, settings } = t.context;
  const file = join(folder, 'large.mp4');
  const bytes = Buffer.from(Array.from({ length: 100_001 }, (_, n) => n % 251));
  await writeFile(file, bytes);
  const container = BlobServiceClient.fromConnectionString(settings.blobs.connection_string).getContainerClient(
    settings.blobs.container,
  );
  const path = 'renders/rend_1/att_1/large.mp4';
  await sendFile(
    container.getBlockBlobClient(path),
    { file, size_bytes: bytes.length, headers: { blobContentType: 'video/mp4' }, metadata: {} },
    { abortSignal: new AbortController().signal, reportProgress: () => undefined },
    { one_request_bytes: 50_000, block_bytes: 30_000 },
  );
  const down = join(folder, 'large-down.mp4');
  t.like(await blobs.download(path, down), { size_bytes: bytes.length });
  t.true((await readFile(down)).equals(bytes));
});

test.serial('BLOB_PUBLIC_URL replaces the endpoint in the URLs that clients get', async (t) => {
  const { settings } = t.context;
  const seen = openBlobStore({ ...settings.blobs, public_url: 'https://media.example.com/base/' });
  const url = await seen.signedUrl('renders/a.mp4', { file_name: 'a.mp4', content_type: 'video/mp4' });
  t.true(url.startsWith('https://media.example.com/base/renders/renders/a.mp4?'));
});

test.serial('a transaction is atomic and restarts after a conflict', async (t) => {
  const { store } = t.context;
  const numbers = store.db.collection<{ _id: string; n: number }>('numbers');
  await numbers.insertOne({ _id: 'a', n: 0 });
  const refused = store.transaction(async (session) => {
    await numbers.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
    throw new Error('no');
  });
  await t.throwsAsync(refused, { message: 'no' });
  t.is((await numbers.findOne({ _id: 'a' }))?.n, 0);

  const add = () =>
    store.transaction(async (session) => {
      const found = await numbers.findOne({ _id: 'a' }, { session });
      await numbers.updateOne({ _id: 'a' }, { $set: { n: (found?.n ?? 0) + 1 } }, { session });
    });
  await Promise.all([add(), add(), add()]);
  t.is((await numbers.findOne({ _id: 'a' }))?.n, 3, 'no update is lost');
  t.true(await store.healthy());
});

test.serial('an unreachable server is named within the given timeout', async (t) => {
  const settings = { url: 'mongodb://127.0.0.1:9/?directConnection=true', database: 'x' };
  await t.throwsAsync(openReadStore({ settings, app_name: 'test', logger, open_timeout_ms: 500 }), {
    message: /ECONNREFUSED/,
  });
});

test.serial('one of two conditional writes succeeds, and a missing blob is not replaced', async (t) => {
  const blobs = openVersionedBlobs(t.context.settings.blobs, 100);
  const path = 'accounts/acc_versions/keys/a';
  t.is(await blobs.read(path), null);
  t.false(await blobs.replace(path, Buffer.from('0'), '"0x8D4BCC2E4835CD0"'));
  const created = await Promise.all([blobs.create(path, Buffer.from('1')), blobs.create(path, Buffer.from('2'))]);
  t.deepEqual(created.toSorted(), [false, true]);
  const { version = '', bytes } = (await blobs.read(path)) ?? {};
  t.is(bytes?.toString(), created[0] ? '1' : '2');
  const replaced = await Promise.all(['3', '4'].map((text) => blobs.replace(path, Buffer.from(text), version)));
  t.deepEqual(replaced.toSorted(), [false, true]);
  t.is((await blobs.read(path))?.bytes.toString(), replaced[0] ? '3' : '4');
  t.false(await blobs.replace(path, Buffer.from('5'), version));
  await blobs.remove(path);
  t.false(await blobs.replace(path, Buffer.from('6'), version));
  t.is(await blobs.read(path), null);
  t.true(await blobs.create(path, Buffer.alloc(101)));
  await t.throwsAsync(blobs.read(path), { instanceOf: BlobFault, message: /has more than 100 bytes/ });
});

test.serial('a write that a lease refuses is a fault, not an unmet condition', async (t) => {
  const { blobs: settings } = t.context.settings;
  const blobs = openVersionedBlobs(settings, 100);
  const path = 'accounts/acc_leased/keys/a';
  await blobs.create(path, Buffer.from('1'));
  const { version = '' } = (await blobs.read(path)) ?? {};
  const lease = containerOf(t.context.stack).getBlobClient(path).getBlobLeaseClient();
  await lease.acquireLease(-1);
  const refused = { instanceOf: BlobFault, message: /the blob store refused .*: 412/ };
  await t.throwsAsync(blobs.replace(path, Buffer.from('2'), version), refused);
  await lease.releaseLease();
  t.true(await blobs.replace(path, Buffer.from('2'), version));
});

test.serial('a sealed text opens until its leaf is punctured in the blob store', async (t) => {
  const blobs = openKeyBlobs(t.context.settings.blobs);
  const sealer = createSealer({ blobs, clock: SYSTEM_CLOCK, onFailure: (error) => t.log(error) });
  const of = { type: 'RenderRequested', account_id: 'acc_seals', project_id: 'proj_1', render_id: 'rend_1' } as const;
  const [first, second] = await Promise.all(['One', 'Two'].map((name) => sealer.seal(of, { name })));
  if (first === undefined || second === undefined) return t.fail();
  const stateOf = async (sealed: Seal) => await createSealOpener(blobs, SYSTEM_CLOCK).open({ ...of, sealed });
  t.deepEqual(await stateOf(first), { state: 'open', text: { name: 'One' } });
  const path = keyTreePath(of.account_id, first.tree) ?? '';
  const { bytes = Buffer.alloc(0), version = '' } = (await blobs.read(path)) ?? {};
  const tree = decodeKeyTree(bytes);
  if (isLeft(tree)) return t.fail(tree.left);
  t.true(await blobs.replace(path, encodeKeyTree(puncture(tree.right, [first.leaf])), version));
  t.deepEqual(await stateOf(first), { state: 'punctured' });
  t.deepEqual(await stateOf(second), { state: 'open', text: { name: 'Two' } });
  await blobs.remove(path);
  t.deepEqual(await stateOf(second), { state: 'lost', why: 'tree_missing' });
  return undefined;
});

test.serial('soft delete of the blob store is recognized', async (t) => {
  const settings = t.context.settings.blobs;
  const none = { soft_delete_days: null, has_versions: false };
  t.deepEqual(await readKeptCopies(settings), none);
  const service = BlobServiceClient.fromConnectionString(settings.connection_string);
  await service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 7 } });
  try {
    t.deepEqual(await readKeptCopies(settings), { soft_delete_days: 7, has_versions: false });
  } finally {
    await service.setProperties({ deleteRetentionPolicy: { enabled: false } });
  }
  t.deepEqual(await readKeptCopies(settings), none);
});
