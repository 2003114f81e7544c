import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { guidePage, idOfHeading, sectionsOf } from '../../../query-api/documentation/guide.ts';
import { OPENAPI } from '../../../schemas/http/public/document.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const SAMPLES = join(ROOT, 'schemas/http/public/samples');

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'guide '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const ID = 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C';

/** A service whose render is complete at the third read. Its first answer to a read is a 503. */
const aService = async () => {
  const asked: string[] = [];
  let reads = 0;
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    asked.push(`${method} ${url}`);
    const send = (status: number, body: unknown, more = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...more });
      response.end(JSON.stringify(body));
    };
    if (url.startsWith('/film.mp4')) return void response.end('a film');
    if (headers.authorization !== 'Bearer vr_1') return send(401, { error: 'no', code: 'invalid_api_key' });
    if (method === 'POST') return send(201, { id: ID, status: 'initializing' });
    if (!url.startsWith('/v1/renders/')) return send(200, { data: [] });
    reads += 1;
    if (reads === 1) return send(503, { error: 'not yet', code: 'not_known_yet' }, { 'Retry-After': '1' });
    if (reads === 2) return send(200, { id: ID, status: 'processing', progress: 0.5 });
    send(200, { id: ID, status: 'complete', output: { master: `${origin}/film.mp4?rscd=a%27b&sig=c` } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const PROGRAMS = [
  ['first-film.sh', 'sh'],
  ['first-film.js', process.execPath],
  ['first-film.py', 'python3'],
] as const;

for (const [file, program] of PROGRAMS)
  test(`the guide's steps are one program, from the key to the film: ${file}`, async (t) => {
    const folder = await folderOf(t);
    const service = await aService();
    const copy = join(folder, file.replace('.js', '.mjs'));
    await copyFile(join(SAMPLES, file), copy);
    const env = { BASE_URL: service.url, API_KEY: 'vr_1', PROJECT_ID: 'proj_1', TEMPLATE_ID: 'tpl_1' };
    await execa(program, [copy], { cwd: folder, env, timeout: 60_000 });
    t.is(await readFile(join(folder, 'film.mp4'), 'utf8'), 'a film');
    t.deepEqual(service.asked.slice(0, 3), [
      'GET /v1/projects',
      'GET /v1/templates?project_id=proj_1',
      'POST /v1/renders',
    ]);
    t.is(service.asked.at(-1), 'GET /film.mp4?rscd=a%27b&sig=c');
    service.close();
  });

const SECRET = 'whsec_c2VjcmV0';
const BODY = JSON.stringify({
  event: 'render.complete',
  data: { id: ID, status: 'complete', output: { master: 'x' } },
});
const signatureOf = (body: string): string => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const RECEIVERS = [
  ['webhook.js', process.execPath],
  ['webhook.py', 'python3'],
] as const;

for (const [file, program] of RECEIVERS)
  test(`the guide's receiver accepts only genuine deliveries: ${file}`, async (t) => {
    const copy = join(await folderOf(t), file.replace('.js', '.mjs'));
    await copyFile(join(SAMPLES, file), copy);
    const port = await freePort();
    const receiver = execa(program, [copy], { env: { WEBHOOK_SECRET: SECRET, PORT: String(port) }, reject: false });
    const deliver = async (signature: string) => {
      const headers = { 'X-Webhook-Signature': signature };
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: BODY, headers })).status;
    };
    await pollUntil('the receiver listens', () => deliver(signatureOf(BODY)).catch(() => null));
    t.is(await deliver(signatureOf(BODY)), 204);
    t.is(await deliver(signatureOf(`${BODY} `)), 401);
    t.is(await deliver(''), 401);
    receiver.kill();
    t.regex(String((await receiver).stdout), new RegExp(`^render.complete ${ID} complete`));
  });

test('the shell sample recognizes a genuine delivery', async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, 'body.json'), BODY);
  const check = async (SIGNATURE: string) => {
    const env = { WEBHOOK_SECRET: SECRET, SIGNATURE };
    return (await execa('sh', [join(SAMPLES, 'webhook.sh')], { cwd: folder, env, reject: false })).stdout;
  };
  t.is(await check(signatureOf(BODY)), 'genuine');
  t.is(await check(signatureOf('')), '');
});

test('the contents link each step, each heading and each operation', (t) => {
  const html = guidePage('<nav><!-- contents --></nav><!-- guide -->');
  const [contents = '', guide = ''] = html.split('</nav>');
  const ids = Object.values(OPENAPI.paths).flatMap((methods) =>
    Object.values(methods).map((one) => `#/${one?.tags[0]}/${one?.operationId}`),
  );
  const headings = Array.from(
    OPENAPI.info.description.matchAll(/^## (.+)$/gm),
    ([, text]) => `#${idOfHeading(text ?? '')}`,
  );
  const steps = Array.from(guide.matchAll(/<section id="(\w+)">/g), ([, id]) => `#${id}`);
  t.is(steps.length, 6);
  t.true(headings.length > 5 && ids.length > 10);
  for (const link of [...ids, ...headings, ...steps]) t.true(contents.includes(`href="${link}"`), link);
});

test('each step with a sample has it in three languages, as escaped text', (t) => {
  const html = guidePage('<!-- guide -->');
  for (const step of ['project', 'create', 'poll', 'download', 'webhook']) {
    const [, section = ''] = html.split(`<section id="${step}">`);
    for (const language of ['sh', 'js', 'py'])
      t.regex(
        section,
        new RegExp(`data-language="${language}"><pre tabindex="0"><code>[^<]{40,}</code>`),
        `${step} ${language}`,
      );
  }
  t.deepEqual(
    [...sectionsOf('# --- a\none\n// --- b\n\ntwo\n')],
    [
      ['a', 'one'],
      ['b', 'two'],
    ],
  );
});
