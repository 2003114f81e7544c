import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import { sweepSegments } from '../../../retention/segments/sweep-segments.ts';
import { segmentPath, segmentsPath } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type BlobServer, openBlobServer } from '../render-workers/_blob-server.ts';

const test = anyTest as TestFn<{ readonly server: BlobServer; readonly blobs: EvictableBlobs }>;

test.before(async (t) => {
  t.timeout(240_000);
  const server = await openBlobServer();
  t.context = { server, blobs: openEvictableBlobs(server.settings) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.server?.close();
});

const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const DAY_MS = 24 * 3_600_000;

test.serial('a sweep removes old parts, and the oldest beyond the limit', async (t) => {
  const { server, blobs } = t.context;
  const bytes = Buffer.alloc(1_000);
  const fill = async (account_id: string, names: readonly string[]) => {
    for (const name of names) await server.put(segmentPath(account_id, keyOf(name)), bytes);
  };
  const left = async (account_id: string) => (await server.paths(segmentsPath(account_id))).length;
  await fill('acc_much', ['a', 'b', 'c', 'd']);
  await fill('acc_little', ['a']);
  const signal = AbortSignal.timeout(180_000);

  const [first] = await server.paths(segmentsPath('acc_much'));
  const oldest = (await blobs.list(segmentsPath('acc_much'), null, signal)).found.find(({ path }) => path === first);
  t.is(oldest?.size_bytes, 1_000);
  t.true(Math.abs((oldest?.stored_at ?? 0) - Date.now()) < 60_000);

  const generous = { age_ms: DAY_MS, bytes_per_account: 1e12 };
  t.is((await sweepSegments(blobs, generous, Date.now(), signal)).removed, 0);
  t.is(await left('acc_much'), 4);

  await pollUntil('a second has passed', async () => Date.now() > (oldest?.stored_at ?? 0) + 2_000);
  await fill('acc_much', ['e', 'f']);
  const tight = { age_ms: DAY_MS, bytes_per_account: 2_000 };
  const many = await Promise.all([1, 2, 3].map(() => sweepSegments(blobs, tight, Date.now(), signal)));
  t.true(many.every(({ kept_bytes }) => kept_bytes <= 20_000_000));
  t.deepEqual(
    (await server.paths(segmentsPath('acc_much'))).toSorted(),
    ['e', 'f'].map((name) => segmentPath('acc_much', keyOf(name))).toSorted(),
    'the newest parts stay, however many processes sweep at once',
  );
  t.is(await left('acc_little'), 1);

  const later = Date.now() + 2 * DAY_MS;
  await sweepSegments(blobs, generous, later, signal);
  t.deepEqual([await left('acc_much'), await left('acc_little')], [0, 0]);
  t.is((await sweepSegments(blobs, generous, later, signal)).removed, 0);
});

test.serial('a failure in one account does not delay others', async (t) => {
  const { server, blobs } = t.context;
  for (const account_id of ['acc_a', 'acc_b', 'acc_c'])
    await server.put(segmentPath(account_id, keyOf('x')), Buffer.from('bytes'));
  const failing: EvictableBlobs = {
    ...blobs,
    remove: async (path, signal) => {
      if (path.startsWith(segmentsPath('acc_b'))) throw new Error('leased');
      await blobs.remove(path, signal);
    },
  };
  const failed: string[] = [];
  const none = { age_ms: 0, bytes_per_account: 0 };
  const signal = AbortSignal.timeout(180_000);
  await sweepSegments(failing, none, Date.now() + DAY_MS, signal, (account_id) => failed.push(account_id));
  t.deepEqual(failed, ['acc_b']);
  for (const [account_id, left] of Object.entries({ acc_a: 0, acc_b: 1, acc_c: 0 }))
    t.is((await server.paths(segmentsPath(account_id))).length, left, account_id);
  const stopped = AbortSignal.abort();
  await t.throwsAsync(sweepSegments(blobs, none, Date.now(), stopped), { is: stopped.reason });
});

test.serial('a sweep deletes only parts', async (t) => {
  const { server, blobs } = t.context;
  const others = ['renders/rend_1/att_1/master.mp4', 'accounts/acc_1/elsewhere/part', 'projects/proj_1/assets/aa'];
  for (const path of others) await server.put(path, Buffer.from('bytes'));
  await server.put(segmentPath('acc_1', keyOf('x')), Buffer.from('bytes'));
  const none = { age_ms: 0, bytes_per_account: 0 };
  await sweepSegments(blobs, none, Date.now() + DAY_MS, AbortSignal.timeout(180_000));
  t.deepEqual(await server.paths(segmentsPath('acc_1')), []);
  for (const path of others) t.deepEqual(await server.paths(path), [path]);
});

/** Forwards connections to a port of this machine, but breaks the first ones after their request. */
const breakingServer = async (port: number, broken: number) => {
  const clients: Socket[] = [];
  const server = createServer((client) => {
    clients.push(client.on('error', () => client.destroy()));
    if (clients.length <= broken) return void client.once('data', () => client.resetAndDestroy());
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const client of clients) client.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, taken: () => clients.length, close };
};

test.serial('a broken connection does not defer a deletion to the next sweep', async (t) => {
  const { server } = t.context;
  const path = segmentPath('acc_1', keyOf('broken'));
  await server.put(path, Buffer.from('bytes'));
  const breaking = await breakingServer(server.port, 2);
  t.teardown(breaking.close);
  await openEvictableBlobs(server.settingsAt(breaking.port)).remove(path, AbortSignal.timeout(180_000));
  t.deepEqual(await server.paths(path), []);
  t.is(breaking.taken(), 3);
});
