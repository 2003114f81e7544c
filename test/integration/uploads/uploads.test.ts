import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import anyTest, { type TestFn } from 'ava';
import sharp from 'sharp';
import { fileFormatOf } from '../../../domain/composition/file-forms.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import { openStoredFiles } from '../../../read-models/stored-files/stored-files.ts';
import type { UploadDocument } from '../../../read-models/uploads/uploads.ts';
import { assetPath, quarantinePath, quarantinePrefix, uploadPrefix } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { bearer, errorOf, postJson, untilServed } from '../api/_client.ts';
import { get } from '../api/_world.ts';
import { ffmpeg } from '../engine/_measuring.ts';
import { hostileMedia, referringSvg } from '../render-workers/_hostile-media.ts';
import {
  complete,
  ended,
  fetchUpload,
  getUpload,
  inspected,
  PNG,
  postProject,
  postUpload,
  postUploadWithKey,
  put,
  sha256,
  showing,
  showingUrl,
  shownIn,
  startUploadWorld,
  type UploadWorld,
  written,
} from './_uploads.ts';

// The APIs and the stills service as processes, on real servers.
const test = anyTest as TestFn<UploadWorld>;

test.before(async (t) => {
  t.timeout(360_000);
  t.context = await startUploadWorld(['stills']);
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

let colors = 0;
/** Different bytes at each call. */
const picture = (width = 64, height = 32): Promise<Buffer> => {
  colors += 1;
  const background = { r: colors % 256, g: 40, b: 200 };
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
};

const made = async (name: string, ...args: readonly string[]): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), 'upload '));
  try {
    await ffmpeg(...args, join(folder, name));
    return await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const documents = ({ clients }: UploadWorld) => clients.store.db.collection<UploadDocument>(COLLECTIONS.uploads);

const container = ({ stack }: UploadWorld) =>
  BlobServiceClient.fromConnectionString(stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '').getContainerClient(
    stack.env.BLOB_CONTAINER ?? 'renders',
  );

const pathsBelow = async (world: UploadWorld, prefix: string): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const { name } of container(world).listBlobsFlat({ prefix })) paths.push(name);
  return paths.sort();
};

test('a picture is written, completed and described, and its other copies are removed', async (t) => {
  const bytes = await picture(300, 200);
  const offer = await postUpload(t.context, { ...PNG, size_bytes: bytes.length });
  t.is(offer.status, 201);
  t.like(offer.body, { status: 'open', team_id: 'team_1', kind: 'image', media: null, sha256: null });
  const { id, upload_url } = shownIn(offer);
  t.is((await put(upload_url, bytes)).status, 201);
  t.is((await complete(t.context, id)).status, 202);
  const ready = await ended(t.context, id);
  t.like(ready.body, {
    ...{ status: 'ready', sha256: sha256(bytes), faults: [] },
    media: { width: 300, height: 200, duration_s: 0, has_audio: false, has_alpha: false, color: null },
  });
  const still = await fetch(shownIn(ready).thumbnail_url ?? '');
  t.is(still.headers.get('content-type'), 'image/jpeg');
  t.like(await sharp(Buffer.from(await still.arrayBuffer())).metadata(), { width: 300, height: 200 });
  t.is((await complete(t.context, id)).status, 200, 'a repeat changes nothing');
  t.is((await put(upload_url, Buffer.from('<html>'))).status, 201, 'the URL still works');
  t.like((await getUpload(t.context, id)).body, { status: 'ready', sha256: sha256(bytes) });
  const kept = await pathsBelow(t.context, uploadPrefix('acc_1', id));
  t.is(kept.length, 3, `the bytes, the thumbnail and the record: ${kept}`);
});

test('a video and a sound are described with their codecs', async (t) => {
  t.timeout(240_000);
  const seen = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2'];
  const heard = ['-f', 'lavfi', '-i', 'sine=d=2'];
  const video = await made('film.mp4', ...seen, ...heard, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac');
  const sound = await made('tone.mp3', ...heard);
  const [film, tone] = await Promise.all([
    inspected(t.context, video, { name: 'film.mp4', content_type: 'video/mp4' }),
    inspected(t.context, sound, { name: 'tone.mp3', content_type: 'audio/mpeg' }),
  ]);
  t.like(film.body, {
    status: 'ready',
    media: {
      ...{ width: 320, height: 180, frame_rate: 25, video_codec: 'h264', audio_codec: 'aac' },
      ...{ has_audio: true, color: 'sdr' },
    },
  });
  t.truthy(shownIn(film).thumbnail_url);
  t.like(tone.body, { status: 'ready', thumbnail_url: null, media: { has_audio: true, audio_codec: 'mp3' } });
});

test('a file that is not what its type says is refused with a remedy', async (t) => {
  const page = await inspected(t.context, Buffer.from('<html><body>login</body></html>'));
  t.like(page.body, { status: 'refused', media: null, thumbnail_url: null });
  t.regex(shownIn(page).faults.join(), /page/);
  t.false(shownIn(page).faults.join().includes('"file"'), 'the internal name is not shown');
  const cut = await inspected(t.context, (await picture(400, 400)).subarray(0, 200));
  t.is(shownIn(cut).status, 'refused');
  const { id } = shownIn(page);
  t.deepEqual(await pathsBelow(t.context, quarantinePath('acc_1', id)), []);
  t.is((await pathsBelow(t.context, uploadPrefix('acc_1', id))).length, 1, 'only the record is kept');
});

test('hostile files are refused in the sandbox, and the service continues', async (t) => {
  t.timeout(240_000);
  const folder = await mkdtemp(join(tmpdir(), 'hostile '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const bait = { file: '/etc/hostname', url: 'https://127.0.0.1:9/' };
  const tried = ['playlist.mp4', 'list.png', '50000.png', 'endless.webm', 'bomb.svg', 'laughs.svg'];
  const files = (await hostileMedia(folder, bait)).filter(({ name }) => tried.includes(name));
  t.is(files.length, tried.length);
  for (const { name, bytes, says } of files) {
    const facts = { name, content_type: fileFormatOf(name)?.content_type };
    const { status, faults } = shownIn(await inspected(t.context, bytes, facts));
    t.is(status, 'refused', name);
    t.regex(faults.join(), says, name);
  }
  const drawing = { name: 'drawing.svg', content_type: 'image/svg+xml' };
  const ready = shownIn(await inspected(t.context, referringSvg(bait, bait.file), drawing));
  t.is(ready.status, 'ready');
  const { headers } = await fetch(ready.thumbnail_url ?? '');
  t.is(headers.get('content-type'), 'image/jpeg');
  t.regex(headers.get('content-disposition') ?? '', /^attachment/);
  const [path = ''] = await pathsBelow(t.context, uploadPrefix('acc_1', ready.id));
  const blob = container(t.context).getBlobClient(path);
  t.true([403, 404, 409].includes((await fetch(blob.url)).status), 'the drawing itself has no public address');
});

test('bytes with another hash than stated are refused', async (t) => {
  const bytes = await picture();
  const stated = sha256(Buffer.from('other bytes'));
  const { id } = await written(t.context, bytes, { ...PNG, sha256: stated });
  await complete(t.context, id);
  const { faults, status } = shownIn(await ended(t.context, id));
  t.is(status, 'refused');
  t.true(faults.join().includes(stated) && faults.join().includes(sha256(bytes)));
});

test('complete refuses missing bytes and another size, and changes nothing', async (t) => {
  const bytes = await picture();
  const offer = shownIn(await postUpload(t.context, { ...PNG, size_bytes: bytes.length + 1 }));
  t.is((await complete(t.context, offer.id)).status, 409);
  await put(offer.upload_url, bytes);
  const short = await complete(t.context, offer.id);
  t.is(short.status, 409);
  t.regex(errorOf(short) ?? '', new RegExp(`${bytes.length} bytes are stored`));
  await put(offer.upload_url, Buffer.concat([bytes, Buffer.alloc(2)]));
  t.is((await complete(t.context, offer.id)).status, 409);
  t.deepEqual(await pathsBelow(t.context, quarantinePath('acc_1', offer.id)), [], 'surplus bytes are deleted');
  await put(offer.upload_url, Buffer.concat([bytes, Buffer.alloc(1)]));
  t.is((await complete(t.context, offer.id)).status, 202);
});

test('a URL to write copies no file of another account, before or after complete', async (t) => {
  const bytes = await picture(90, 60);
  const own = shownIn(await inspected(t.context, bytes));
  const made = await postProject(t.context, { name: 'Of acc_1', document: showing(own.id) });
  const source = container(t.context).getBlockBlobClient(assetPath(shownIn(made).id, sha256(bytes))).url;
  const { writers } = t.context;
  const copied = async (url: string, headers: Record<string, string>) => {
    const answer = await fetch(url, { method: 'PUT', headers: { 'x-ms-copy-source': source, ...headers } });
    await answer.body?.cancel();
    return answer.status;
  };
  for (const headers of [{}, { 'x-ms-requires-sync': 'true' }]) {
    const facts = { ...PNG, size_bytes: bytes.length };
    const { id, upload_url } = shownIn(await postUpload(t.context, facts, writers.other));
    // Azure refuses the copy itself.
    if ((await copied(upload_url, headers)) >= 300) continue;
    const completed = await complete(t.context, id, writers.other);
    t.like(completed, { status: 409, body: { code: 'upload_incomplete' } });
    t.regex(errorOf(completed) ?? '', /without a copy source/);
    // The bytes are inspected only if they are no copy, whenever the copy was made.
    await documents(t.context).updateOne({ _id: id }, { $set: { state: 'queued', queued_at: 1 } });
    const ended_with = await pollUntil(
      'the copy is refused',
      async () => {
        const answer = await getUpload(t.context, id, writers.other);
        return ['ready', 'refused'].includes(shownIn(answer).status) ? answer : null;
      },
      120_000,
    );
    t.is(shownIn(ended_with).status, 'refused');
    t.regex(shownIn(ended_with).faults[0] ?? '', /without a copy source/);
  }
});

test('a URL to write opens no other blob, and reads or deletes none', async (t) => {
  const { id, upload_url } = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 10 }));
  const other = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 10 }, t.context.writers.other));
  const own = new URL(upload_url);
  const { pathname } = new URL(other.upload_url);
  const turned = [pathname, own.pathname.replace(id, `${id}/../other`), own.pathname.replace(/[^/]+$/, '')];
  const status = async (method: string, url: string): Promise<number> => {
    const headers = { 'x-ms-blob-type': 'BlockBlob' };
    const answer = await fetch(url, { method, headers, ...(method === 'PUT' && { body: 'x' }) });
    await answer.body?.cancel();
    return answer.status;
  };
  t.is(await status('PUT', upload_url), 201);
  for (const path of turned) t.is(await status('PUT', `${own.origin}${path}${own.search}`), 403, path);
  for (const method of ['GET', 'DELETE']) t.is(await status(method, upload_url), 403, method);
  t.is(
    await status('GET', `${own.origin}${own.pathname.replace(/[^/]+$/, '')}${own.search}&restype=container&comp=list`),
    403,
  );
});

test('concurrent completions inspect the bytes once', async (t) => {
  const { id } = await written(t.context, await picture());
  const answers = await Promise.all([1, 2, 3].map(() => complete(t.context, id)));
  t.true(answers.every(({ status }) => status === 202 || status === 200));
  await ended(t.context, id);
  t.is((await documents(t.context).findOne({ _id: id }))?.tries, 1);
});

test('a known hash needs no bytes, and other accounts do not learn it', async (t) => {
  const bytes = await picture();
  const { id } = shownIn(await inspected(t.context, bytes));
  const known = { ...PNG, name: 'again.png', size_bytes: bytes.length, sha256: sha256(bytes) };
  const again = await postUpload(t.context, known);
  t.is(again.status, 200);
  t.like(again.body, { id, status: 'ready' });
  t.false('upload_url' in Object(again.body));
  const other = await postUpload(t.context, known, t.context.writers.other);
  t.is(other.status, 201);
  t.not(shownIn(other).id, id);
});

test('keys without the scope or the team are refused', async (t) => {
  const { writers, keys } = t.context;
  const body = { ...PNG, size_bytes: 10 };
  const { id } = shownIn(await postUpload(t.context, body));
  t.is((await postUpload(t.context, body, keys.ours)).status, 403);
  t.is((await complete(t.context, id, keys.ours)).status, 403);
  t.is((await complete(t.context, id, writers.other)).status, 404);
  t.is((await getUpload(t.context, id, writers.other)).status, 404);
  t.is((await getUpload(t.context, id, keys.ours)).status, 200, 'a key of the team reads without the scope');
  t.is((await postUpload(t.context, { ...body, team_id: 'team_2' })).status, 404);
  t.is((await postUpload(t.context, { ...body, upload_id: id }, writers.other)).status, 404);
  t.is((await postUpload(t.context, body, writers.both)).status, 400, 'the key reaches two teams');
  t.is((await get(t.context, 'uploads/..%2F..%2Fkeys', writers.writer)).status, 404);
});

test('a repeat returns the same upload with a fresh URL', async (t) => {
  const body = { ...PNG, size_bytes: 10 };
  const first = await postUploadWithKey(t.context, body, 'upload-a');
  const again = await postUploadWithKey(t.context, body, 'upload-a');
  t.is(first.status, 201);
  t.is(again.status, 200);
  t.is(shownIn(again).id, shownIn(first).id);
  t.is((await postUploadWithKey(t.context, { ...body, size_bytes: 11 }, 'upload-a')).status, 422);
  const { id } = shownIn(first);
  const renewed = await postUpload(t.context, { ...body, upload_id: id });
  t.is(renewed.status, 200);
  t.is((await put(shownIn(renewed).upload_url, Buffer.alloc(10))).status, 201);
  t.is((await postUpload(t.context, { ...body, name: 'b.png', upload_id: id })).status, 422);
});

test('a client resumes with the list of stored blocks', async (t) => {
  const bytes = await picture(200, 200);
  const { id, upload_url } = shownIn(await postUpload(t.context, { ...PNG, size_bytes: bytes.length }));
  const blocks = [bytes.subarray(0, 100), bytes.subarray(100)];
  const ids = blocks.map((_, n) => Buffer.from(`block-${n}`).toString('base64'));
  const store = (n: number) =>
    put(`${upload_url}&comp=block&blockid=${encodeURIComponent(ids[n] ?? '')}`, blocks[n] ?? Buffer.alloc(0));
  await store(0);
  t.deepEqual(Object((await getUpload(t.context, id)).body).blocks, [{ id: ids[0], size_bytes: 100 }]);
  t.is((await complete(t.context, id)).status, 409);
  await store(1);
  const list = `<BlockList>${ids.map((one) => `<Latest>${one}</Latest>`).join('')}</BlockList>`;
  t.is((await fetch(`${upload_url}&comp=blocklist`, { method: 'PUT', body: list })).status, 201);
  const completed = await complete(t.context, id);
  t.is(completed.status, 202, completed.text);
  t.like((await ended(t.context, id)).body, { status: 'ready', sha256: sha256(bytes) });
});

test('a project uses a ready upload, and only of a team of the key', async (t) => {
  const bytes = await picture(120, 80);
  const { id } = shownIn(await inspected(t.context, bytes));
  const body = { name: 'With an upload', document: showing(id) };
  const made = await postProject(t.context, body);
  t.is(made.status, 201, made.text);
  const assets = await get(t.context, `projects/${shownIn(made).id}/assets`, t.context.writers.writer);
  const asset = { id: 'logo', kind: 'image', sha256: sha256(bytes), size_bytes: bytes.length, file_name: 'logo.png' };
  t.like(Object(assets.body).data[0], { ...asset, content_type: 'image/png' });
  const stored = container(t.context).getBlockBlobClient(assetPath(shownIn(made).id, sha256(bytes)));
  t.true((await stored.downloadToBuffer()).equals(bytes));

  const other = await postProject(t.context, body, t.context.writers.other);
  t.is(other.status, 400);
  t.like(Object(other.body).faults[0], { path: 'assets[0].upload' });
  const open = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 10 }));
  t.is((await postProject(t.context, { ...body, document: showing(open.id) })).status, 400, 'it is not inspected');
  const film = { ...showing(id), assets: [{ id: 'logo', kind: 'audio', upload: id }] };
  t.is((await postProject(t.context, { ...body, document: film })).status, 400, 'it is a picture');
});

test('files and documents of projects count against the bytes of the account', async (t) => {
  const { writers, clients } = t.context;
  const key = writers.full;
  const usedBytes = async (): Promise<number> => Object((await get(t.context, 'account', key)).body).uploads.bytes.used;
  const before = await usedBytes();
  const made = await postProject(t.context, { starter: 'quote-card' }, key);
  t.is(made.status, 201, made.text);
  const project = `projects/${shownIn(made).id}`;
  const { data } = Object((await get(t.context, `${project}/assets`, key)).body);
  const bytes = data.reduce((sum: number, { size_bytes }: { size_bytes: number }) => sum + size_bytes, 0);
  t.true(bytes > 0);
  const document_bytes = (await usedBytes()) - before - bytes;
  t.true(document_bytes > 100 && document_bytes < 100_000, `${document_bytes} bytes of the document`);
  const change = (what: string) => postJson(`${t.context.renders.replace('/renders', `/${project}`)}/${what}`, key, {});
  t.is((await change('copy')).status, 201);
  t.is(await usedBytes(), before + 2 * (bytes + document_bytes), 'a copy has files of its own');

  const stored = openStoredFiles(clients.store.db);
  const full = { project_id: 'proj_full', name: 'a'.repeat(64), size_bytes: 100 * 1024 ** 3 };
  await stored.add('acc_full', [full]);
  const refused = [await change('copy'), await postProject(t.context, { starter: 'promo' }, key)];
  for (const answer of refused) {
    t.like(answer, { status: 429, body: { code: 'too_many_uploads' } });
    t.regex(errorOf(answer) ?? '', /files and documents of projects of the account may have at most 100 GiB together/);
  }
  t.is((await postUpload(t.context, { ...PNG, size_bytes: 10 }, key)).status, 429);
  const renamed = await postJson(`${t.context.renders.replace('/renders', `/${project}`)}/rename`, key, {
    name: 'New',
  });
  t.is(renamed.status, 200, 'a full account may change its projects');
  await stored.remove('acc_full', [full]);
  const after = (await usedBytes()) - before - 2 * (bytes + document_bytes);
  t.true(after > 100 && after < 100_000, `only the renamed version counts: ${after}`);
});

test('an account has a limited number of uploads in progress', async (t) => {
  const all = documents(t.context);
  const { id } = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 10 }, t.context.writers.many));
  const one = await all.findOne({ _id: id });
  if (one === null) return t.fail('the upload has no document');
  const count = await all.countDocuments({ account_id: 'acc_many' });
  await all.insertMany(Array.from({ length: 100 - count }, (_, n) => ({ ...one, _id: `upload_many_${n}` })));
  const beyond = await postUpload(t.context, { ...PNG, size_bytes: 10 }, t.context.writers.many);
  t.is(beyond.status, 429);
  t.regex(errorOf(beyond) ?? '', /100 uploads in progress/);
  t.truthy(beyond.headers.get('retry-after'));
  t.is(await all.countDocuments({ account_id: 'acc_many' }), 100);
  await all.deleteMany({ account_id: 'acc_many' });

  const film = { name: 'film.mp4', content_type: 'video/mp4', size_bytes: 2 * 1024 ** 3 };
  for (let n = 0; n < 10; n += 1) t.is((await postUpload(t.context, film, t.context.writers.many)).status, 201);
  const too_large = await postUpload(t.context, film, t.context.writers.many);
  t.like(too_large, { status: 429, body: { code: 'too_many_uploads', param: 'size_bytes' } });
  t.regex(errorOf(too_large) ?? '', /^size_bytes: uploads in progress may have at most 20 GiB together/);
  t.like((await get(t.context, 'account', t.context.writers.many)).body, {
    uploads: { in_progress: { limit: 100 }, bytes_in_progress: { limit: 20 * 1024 ** 3 } },
  });
});

test('an upload outlives the loss of its document', async (t) => {
  const bytes = await picture();
  const { id } = shownIn(await inspected(t.context, bytes));
  await documents(t.context).deleteOne({ _id: id });
  t.like((await getUpload(t.context, id)).body, { id, status: 'ready', sha256: sha256(bytes) });
  t.is(await documents(t.context).countDocuments({ _id: id }), 1);
});

test('an inspection that another process abandoned is taken over and cleaned up', async (t) => {
  t.timeout(360_000);
  const bytes = await picture();
  const { id } = await written(t.context, bytes);
  const leftover = `${uploadPrefix('acc_1', id)}abandoned`;
  await container(t.context).getBlockBlobClient(leftover).upload('x', 1);
  const change = { state: 'queued', queued_at: 1, claim: { holder: 'gone', beat: 7 }, tries: 1 } as const;
  await documents(t.context).updateOne({ _id: id }, { $set: change });
  const taken = await pollUntil(
    'the upload is inspected',
    async () => {
      const answer = await getUpload(t.context, id);
      return shownIn(answer).status === 'ready' ? answer : null;
    },
    120_000,
  );
  t.like(taken.body, { sha256: sha256(bytes) });
  t.false((await pathsBelow(t.context, uploadPrefix('acc_1', id))).includes(leftover));
});

test('an upload whose inspections ended the process is refused', async (t) => {
  const { id } = await written(t.context, await picture());
  await documents(t.context).updateOne({ _id: id }, { $set: { state: 'queued', queued_at: 1, tries: 3 } });
  t.like((await ended(t.context, id)).body, { status: 'refused' });
});

test('an erased upload leaves no copies of a running inspection', async (t) => {
  const { id } = await written(t.context, await picture(2_000, 2_000));
  await complete(t.context, id);
  await documents(t.context).deleteOne({ _id: id });
  const copies = await pollUntil('the copies are removed', async () => {
    const paths = await pathsBelow(t.context, uploadPrefix('acc_1', id));
    return paths.every((path) => path.endsWith('record.json')) ? paths : null;
  });
  t.true(copies.length <= 1);
});

test('no blob of the quarantine is left behind by inspected uploads', async (t) => {
  const { id } = shownIn(await inspected(t.context, await picture()));
  t.false((await pathsBelow(t.context, quarantinePrefix('acc_1'))).some((path) => path.endsWith(id)));
});

const giving = async ({ server }: UploadWorld, path: string, delay_ms = 0): Promise<Buffer> => {
  const body = await picture();
  server.answer(path, { tag: 'answer', body, delay_ms });
  return body;
};

const posted = (world: UploadWorld, path: string) =>
  postProject(world, { document: showingUrl(`${world.server.origin}${path}`) });

/** The answer after the fetch has ended. */
const settled = (world: UploadWorld, path: string) =>
  pollUntil(
    'the URL is fetched',
    async () => {
      const answer = await posted(world, path);
      return answer.status === 409 ? null : answer;
    },
    120_000,
  );

test('documents with a URL get its file, which is fetched once', async (t) => {
  t.timeout(360_000);
  const { server } = t.context;
  // Longer than a request waits.
  const bytes = await giving(t.context, '/own/logo.png?sig=secret', 8_000);
  const answers = await Promise.all([1, 2].map(() => posted(t.context, '/own/logo.png?sig=secret')));
  for (const { status, headers, body } of answers) {
    t.is(status, 409);
    t.like(body, { code: 'assets_pending', param: 'document.assets' });
    t.truthy(headers.get('retry-after'));
  }
  const made = await settled(t.context, '/own/logo.png?sig=secret');
  t.is(made.status, 201, made.text);
  const assets = await get(t.context, `projects/${shownIn(made).id}/assets`, t.context.writers.writer);
  const asset = { sha256: sha256(bytes), size_bytes: bytes.length, file_name: 'logo.png', content_type: 'image/png' };
  t.like(Object(assets.body).data[0], asset);
  await giving(t.context, '/own/logo.png?sig=secret');
  t.is((await settled(t.context, '/own/logo.png?sig=secret')).status, 201);
  t.is(server.receivedAt('/own/logo.png?sig=secret').length, 1);
  const kept = await documents(t.context)
    .find({ 'fetch.url_hash': { $exists: true } })
    .toArray();
  t.false(JSON.stringify(kept).includes('sig=secret'), 'no URL is kept after its fetch');
});

test('a URL without a picture is a fault, and is fetched again later', async (t) => {
  t.timeout(360_000);
  const { server } = t.context;
  server.answer('/page.png', { tag: 'answer', body: '<!doctype html><title>Log in</title>' });
  const expected = [
    ['/page.png', /a web page/],
    ['/none.png', /answered 404/],
  ] as const;
  for (const [path, message] of expected) {
    const refused = await settled(t.context, path);
    t.is(refused.status, 400);
    const [fault] = Object(refused.body).faults;
    t.is(fault.path, 'assets[0].url');
    t.regex(fault.message, message);
    t.false(refused.text.includes(server.origin));
  }
  const again = await posted(t.context, '/none.png');
  t.is(again.status, 400);
  t.is(server.receivedAt('/none.png').length, 1, 'a repeat has the fault of the first fetch');
  await giving(t.context, '/none.png');
  await documents(t.context).updateMany({ state: 'refused', fetch: { $exists: true } }, { $set: { updated_at: 1 } });
  t.is((await settled(t.context, '/none.png')).status, 201);
  const inside = await postProject(t.context, { document: showingUrl('https://127.0.0.1:1/logo.png') });
  t.is(inside.status, 400);
  t.regex(inside.text, /must not have port 1/);
});

test('a request of a fetch has its own upload, and a repeat returns it', async (t) => {
  t.timeout(360_000);
  const { server } = t.context;
  const bytes = await giving(t.context, '/twice.png');
  const body = { url: `${server.origin}/twice.png`, kind: 'image' };
  const first = await fetchUpload(t.context, body, 'fetch-a');
  t.is(first.status, 202);
  t.like(first.body, { status: 'fetching', name: 'twice.png', size_bytes: null, content_type: null });
  const { id } = shownIn(first);
  t.like((await ended(t.context, id)).body, { status: 'ready', sha256: sha256(bytes), size_bytes: bytes.length });
  const again = await fetchUpload(t.context, body, 'fetch-a');
  t.is(again.status, 200);
  t.is(shownIn(again).id, id);
  t.is((await fetchUpload(t.context, { ...body, url: `${body.url}?2` }, 'fetch-a')).status, 422);
  t.is((await fetchUpload(t.context, { ...body, url: 'http://example.com/' })).status, 400);
  const changed = await giving(t.context, '/twice.png');
  const fresh = shownIn(await fetchUpload(t.context, body));
  t.not(fresh.id, id);
  t.like((await ended(t.context, fresh.id)).body, { sha256: sha256(changed) });
  const kept = await pathsBelow(t.context, uploadPrefix('acc_1', id));
  t.is(kept.length, 3, `the bytes, the thumbnail and the record: ${kept}`);
});

test('a fetch that a process abandoned or an erasure removed leaves no bytes', async (t) => {
  t.timeout(360_000);
  const { server } = t.context;
  await giving(t.context, '/slow.png', 3_000);
  const { id } = shownIn(await fetchUpload(t.context, { url: `${server.origin}/slow.png`, kind: 'image' }));
  await pollUntil('the fetch begins', () => Promise.resolve(server.receivedAt('/slow.png').length === 1));
  const leftover = `${uploadPrefix('acc_1', id)}abandoned`;
  await container(t.context).getBlockBlobClient(leftover).upload('x', 1);
  t.is(shownIn(await ended(t.context, id)).status, 'ready');
  t.false((await pathsBelow(t.context, uploadPrefix('acc_1', id))).includes(leftover));

  await giving(t.context, '/erased.png', 3_000);
  const erased = shownIn(await fetchUpload(t.context, { url: `${server.origin}/erased.png`, kind: 'image' })).id;
  await pollUntil('the fetch begins', () => Promise.resolve(server.receivedAt('/erased.png').length === 1));
  await documents(t.context).deleteOne({ _id: erased });
  await pollUntil('the fetch has ended', async () => {
    const paths = await pathsBelow(t.context, uploadPrefix('acc_1', erased));
    return server.under_way() === 0 && paths.every((path) => path.endsWith('record.json'));
  });
  t.pass();
});

test('a render of a document with a URL finds its project again', async (t) => {
  t.timeout(360_000);
  const { server, renders, writers } = t.context;
  const bytes = await giving(t.context, '/render.png');
  const body = { name: 'Film', project: showingUrl(`${server.origin}/render.png`) };
  const accepted = await pollUntil(
    'the render is accepted',
    async () => {
      const answer = await postJson(renders, writers.writer, body);
      return answer.status === 409 ? null : answer;
    },
    120_000,
  );
  t.is(accepted.status, 201, accepted.text);
  const { project } = Object(accepted.body);
  const assets = await get(t.context, `projects/${project.id}/assets`, writers.writer);
  t.like(Object(assets.body).data[0], { sha256: sha256(bytes) });
  t.like((await postJson(renders, writers.writer, body)).body, { project });
  t.is(server.receivedAt('/render.png').length, 1);
});

const plainPicture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 36, channels: 3, background } })
    .png()
    .toBuffer();

/** A document that shows the upload in the whole frame, and has a field for another picture. */
const withField = (upload: string) => {
  const document = showing(upload);
  const [composition] = document.compositions;
  const layers = [{ id: 'logo', type: 'image', asset: 'logo', x: 0, y: 0, width: 320, height: 180, fit: 'fill' }];
  return { ...withLogoField(upload), compositions: [{ ...composition, layers }] };
};

test('a key draws stills of projects and documents, with an uploaded picture', async (t) => {
  t.timeout(240_000);
  const { writers } = t.context;
  const [own, value] = await Promise.all(
    ['#FF0000', '#0000FF'].map(async (color) => shownIn(await inspected(t.context, await plainPicture(color))).id),
  );
  const document = withField(own ?? '');
  const project_id = shownIn(await postProject(t.context, { name: 'Field', document })).id;
  const still = (body: object, key = writers.writer, headers = {}) =>
    pollUntil('the service is not busy', async () => {
      const answer = await fetch(t.context.renders.replace('/renders', '/stills'), {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { ...bearer(key), 'Content-Type': 'application/json', ...headers },
      });
      return answer.status === 503 ? null : answer;
    });
  const drawn = async (answer: Response) => {
    const bytes = Buffer.from(await answer.arrayBuffer());
    t.is(answer.status, 200, bytes.toString());
    const { format, width } = await sharp(bytes).metadata();
    return { format, width, dominant: (await sharp(bytes).stats()).dominant };
  };
  const of_template = { project_id, template_id: 'tpl_logo' };
  const answer = await still({ ...of_template, values: { logo: value ?? '', logi: 'x' }, width: 160 });
  t.regex(answer.headers.get('ignored-values') ?? '', /^"logi"/);
  t.is(answer.headers.get('cache-control'), 'private, no-store');
  const of_value = await drawn(answer);
  t.like(of_value, { format: 'jpeg', width: 160 });
  t.true(of_value.dominant.b > 200 && of_value.dominant.r < 60, JSON.stringify(of_value));
  const of_document = await drawn(await still({ project: document }, writers.writer, { Accept: 'image/webp,*/*' }));
  t.like(of_document, { format: 'webp', width: 320 });
  t.true(of_document.dominant.r > 200 && of_document.dominant.b < 60, JSON.stringify(of_document));

  t.is((await still({ project_id }, writers.other)).status, 404);
  t.is((await still({ project: document }, t.context.keys.ours)).status, 403, 'the key has no scope');
  for (const logo of [`upload_${'0'.repeat(32)}`, 'https://example.com/a.png'])
    t.like(await (await still({ ...of_template, values: { logo } })).json(), {
      ...{ code: 'invalid_field', param: 'values.logo' },
    });
});

test('a still of a project whose file is lost names the asset', async (t) => {
  t.timeout(120_000);
  const bytes = await plainPicture('#00FF00');
  const { id: upload } = shownIn(await inspected(t.context, bytes));
  const project_id = shownIn(await postProject(t.context, { name: 'Lost', document: showing(upload) })).id;
  await container(t.context)
    .getBlobClient(assetPath(project_id, sha256(bytes)))
    .delete();
  const stills = t.context.renders.replace('/renders', '/stills');
  const answer = await untilServed(() => postJson(stills, t.context.writers.writer, { project_id }));
  t.like(answer, { status: 409, body: { code: 'asset_lost', param: 'project_id' } });
  t.regex(errorOf(answer) ?? '', /^project_id: the file of the asset "logo" \(logo\.png\) is lost; upload it again/);
});

const withLogoField = (upload: string) => ({
  ...showing(upload),
  templates: [
    {
      ...{ id: 'tpl_logo', name: 'Logo', target_composition_id: 'comp_main' },
      fields: [{ key: 'logo', kind: 'image', default_value: 'logo', target: { layer: 'logo', property: 'asset' } }],
    },
  ],
});

test('a ready upload of the team can be the value of a picture', async (t) => {
  t.timeout(240_000);
  const logo = shownIn(await inspected(t.context, await picture()));
  const tone = await made('value.mp3', '-f', 'lavfi', '-i', 'sine=d=1');
  const sound = shownIn(await inspected(t.context, tone, { name: 'tone.mp3', content_type: 'audio/mpeg' }));
  const open = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 7 }));
  const project = await postProject(t.context, { team_id: 'team_1', document: withLogoField(logo.id) });
  t.is(project.status, 201, JSON.stringify(project.body));
  const of_project = { project_id: Object(project.body).id, template_id: 'tpl_logo' };
  const render = (value: string) =>
    postJson(t.context.renders, t.context.writers.writer, { ...of_project, name: 'A', values: { logo: value } });
  const check = (value: string) =>
    postJson(`${t.context.renders.replace('/renders', '/projects')}/check`, t.context.writers.writer, {
      ...{ ...of_project, values: { logo: value } },
    });
  t.is((await render(logo.id)).status, 201);
  t.like((await check(logo.id)).body, { valid: true, faults: [] });
  const foreign = shownIn(await postUpload(t.context, { ...PNG, size_bytes: 9 }, t.context.writers.other));
  for (const [id, fault] of [
    [`upload_${'0'.repeat(32)}`, /there is no such upload/],
    [open.id, /not ready/],
    [foreign.id, /there is no such upload/],
    [sound.id, /must be an upload of kind image/],
  ] as const) {
    const refused = await render(id);
    t.like(refused, { status: 400, body: { code: 'invalid_field', param: 'values.logo' } });
    t.regex(errorOf(refused) ?? '', fault);
    t.like((await check(id)).body, { valid: false, faults: { 0: { path: 'values.logo' } } });
  }
});
