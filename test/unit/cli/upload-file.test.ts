import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createApiClient } from '../../../cli/http/api-client.ts';
import { blocksOf, newSlots } from '../../../cli/http/put-blocks.ts';
import { uploadFile } from '../../../cli/http/upload-file.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { retryAfterPauses } from '../../../platform/process/retry.ts';

const BLOCK_BYTES = 10_000;
const LAST_BYTES = 1_000;
const CONTENT = Buffer.from(Array.from({ length: 2 * BLOCK_BYTES + LAST_BYTES }, (_, i) => i % 251));
const FACTS = { name: 'a.png', content_type: 'image/png', size_bytes: CONTENT.length, sha256: 'ab'.repeat(32) };
const [FIRST, SECOND, THIRD] = blocksOf(CONTENT.length, BLOCK_BYTES).map(({ id }) => id);

type Blob = { readonly staged: Map<string, Buffer>; committed: Buffer | null };
type Faults = {
  /** Blocks that the store has before the call. */
  readonly staged?: readonly string[];
  /** Statuses of the first writes of bytes, before writes succeed. */
  readonly refusals?: number[];
  readonly verdict?: 'ready' | 'refused';
  readonly before?: 'refused';
};

/** The service and its blob store in one server. */
const world = async (t: ExecutionContext, { staged = [], refusals = [], verdict = 'ready', before }: Faults = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'upload '));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.png');
  await writeFile(path, CONTENT);
  const blob: Blob = { staged: new Map(staged.map((id) => [id, blockOf(id)])), committed: null };
  const keys: string[] = [];
  const sent: string[] = [];
  let signatures = 0;
  let status = 'open';
  const shown = (answered: string) => ({
    ...{ id: 'upload_1', team_id: 'team_1', name: FACTS.name, kind: 'image', size_bytes: FACTS.size_bytes },
    ...{ sha256: FACTS.sha256, status: answered, faults: answered === 'refused' ? ['is damaged'] : [], media: null },
  });
  const store = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    const refusal = refusals.shift();
    const expected = String(signatures);
    if (refusal !== undefined || url.searchParams.get('sig') !== expected)
      return void response.writeHead(refusal ?? 403).end();
    const id = url.searchParams.get('blockid');
    if (id === null) {
      const ids = [...body.toString('utf8').matchAll(/<Latest>([^<]+)</g)].map(([, one]) => one ?? '');
      blob.committed = Buffer.concat(ids.map((one) => blob.staged.get(one) ?? Buffer.alloc(0)));
    } else {
      sent.push(id);
      blob.staged.set(id, body);
    }
    response.writeHead(201).end();
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', base_url());
    if (url.pathname === '/blob') return store(request, response, url);
    await request.toArray();
    const reply = (code: number, body: object): void => void response.writeHead(code).end(JSON.stringify(body));
    const blocks = [...blob.staged].map(([id, { length }]) => ({ id, size_bytes: length }));
    if (request.method === 'GET') {
      const answer = shown(status);
      if (status === 'inspecting') status = verdict;
      return reply(200, { ...answer, blocks });
    }
    if (url.pathname.endsWith('/complete')) {
      status = 'inspecting';
      return reply(202, shown(status));
    }
    keys.push(String(request.headers['idempotency-key'] ?? ''));
    if (before !== undefined && keys.length === 1) return reply(200, shown(before));
    signatures += 1;
    const upload_url = `${base_url()}/blob?sig=${signatures}`;
    reply(staged.length > 0 ? 200 : 201, { ...shown(status), upload_url });
  };
  const server = createServer(
    // A client that gives up closes its connections.
    (request, response) => void serve(request, response).catch(() => response.destroy()),
  );
  const base_url = (): string => {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  let bytes = 0;
  const upload = () =>
    uploadFile(
      createApiClient({ base_url: base_url(), api_key: 'vr_1', key_from: 'log_in' }),
      { path, ...FACTS },
      'team_1',
      {
        ...{
          block_bytes: BLOCK_BYTES,
          clock: SYSTEM_CLOCK,
          slots: newSlots(),
          policy: retryAfterPauses([1, 1, 1]),
          timeout_ms: 10_000,
        },
        ...{ poll_ms: 1, longest_poll_ms: 1, inspection_timeout_ms: 10_000, stop: new AbortController().signal },
        on_bytes: (more) => {
          bytes += more;
        },
      },
    );
  return { blob, keys, sent, path, upload, bytes: () => bytes };
};

const blockOf = (id: string): Buffer => {
  const block = blocksOf(CONTENT.length, BLOCK_BYTES).find((one) => one.id === id);
  return CONTENT.subarray(block?.from ?? 0, (block?.from ?? 0) + (block?.size_bytes ?? 0));
};

test('an upload sends the file in blocks and waits for the inspection', async (t) => {
  const { blob, sent, upload, bytes } = await world(t);
  t.like(await upload(), { right: { id: 'upload_1', status: 'ready' } });
  t.true(blob.committed?.equals(CONTENT));
  t.deepEqual(sent.toSorted(), [FIRST, SECOND, THIRD]);
  t.is(bytes(), CONTENT.length);
});

test('an interrupted upload continues with the missing blocks, under the same key', async (t) => {
  const first = await world(t);
  await first.upload();
  const again = await world(t, { staged: [FIRST ?? '', THIRD ?? ''] });
  t.true(E.isRight(await again.upload()));
  t.deepEqual(again.sent, [SECOND]);
  t.true(again.blob.committed?.equals(CONTENT));
  t.is(again.bytes(), CONTENT.length);
  t.is(again.keys[0], first.keys[0]);
});

test('a busy store is retried, and an expired signature is renewed', async (t) => {
  const { blob, upload, keys } = await world(t, { refusals: [503, 403, 500] });
  t.true(E.isRight(await upload()));
  t.true(blob.committed?.equals(CONTENT));
  t.is(keys.length, 2);
});

test('a refused write and an exhausted store are reported with the file', async (t) => {
  const refused = await world(t, { refusals: [409] });
  t.like(await refused.upload(), { left: { tag: 'blob_failed', message: 'the blob store returned status 409' } });
  const away = await world(t, { refusals: Array.from({ length: 40 }, () => 503) });
  t.like(await away.upload(), { left: { tag: 'not_uploaded', message: 'the blob store returned status 503' } });
  await writeFile(away.path, CONTENT.subarray(0, LAST_BYTES));
  const shorter = await world(t);
  await writeFile(shorter.path, CONTENT.subarray(0, LAST_BYTES));
  t.like(await shorter.upload(), { left: { tag: 'unreadable_file', message: 'the file changed meanwhile' } });
});

test('a refused file has its faults, and gets another upload at the next try', async (t) => {
  const refused = await world(t, { verdict: 'refused' });
  t.like(await refused.upload(), { right: { status: 'refused', faults: ['is damaged'] } });
  const again = await world(t, { before: 'refused' });
  t.like(await again.upload(), { right: { status: 'ready' } });
  t.not(again.keys[0], again.keys[1]);
});
