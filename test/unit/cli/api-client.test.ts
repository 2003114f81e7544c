import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { reportOf } from '../../../cli/fault.ts';
import { type ApiClient, createApiClient } from '../../../cli/http/api-client.ts';
import { createRequestRetrier, type RequestRetryOptions, withRetries } from '../../../cli/http/retry.ts';
import { reportText } from '../../../cli/output.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { caller } from '../../helpers/renderctl.ts';

const Named = t.type({ name: t.string });

type Seen = { readonly method: string; readonly path: string; readonly key: string; readonly body: string };
type Answer = readonly [status: number, body: object, headers?: Readonly<Record<string, string>>];

/** Answers the requests in order; the last answer is repeated. Null breaks the connection. */
const world = async (test_context: ExecutionContext, answers: readonly (Answer | null)[]) => {
  const seen: Seen[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = await request.toArray();
    const body = Buffer.concat(chunks).toString('utf8');
    seen.push({ method, path: url, key: String(headers['idempotency-key'] ?? ''), body });
    const answer = answers[Math.min(seen.length, answers.length) - 1] ?? null;
    if (answer === null) request.socket.destroy();
    else response.writeHead(answer[0], answer[2]).end(JSON.stringify(answer[1]));
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test_context.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const base_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const stopping = new AbortController();
  const client = (key_from: ApiClient['address']['key_from'] = 'log_in', change: Partial<RequestRetryOptions> = {}) =>
    withRetries(
      createApiClient({ base_url, api_key: 'vr_1', key_from }, stopping.signal),
      createRequestRetrier({
        ...{ first_pause_ms: 1, longest_pause_ms: 20, timeout_ms: 60_000, stop: stopping.signal },
        ...change,
      }),
    );
  return { seen, client, base_url, stopping };
};

const created = (client: ApiClient) =>
  client.send(Named, { path: '/v1/things', body: { name: 'a' }, headers: { 'Idempotency-Key': 'k1' } });

const FILM: Answer = [201, { name: 'a' }];

test('lost answers and busy services are retried with the same key and body', async (test_context) => {
  const busy: Answer = [503, { error: 'busy', code: 'unavailable' }, { 'Retry-After': '0' }];
  const { seen, client } = await world(test_context, [null, busy, [429, { error: 'slow down' }], FILM]);
  const answer = await created(client());
  test_context.like(answer, { right: { status: 201, body: { name: 'a' } } });
  const same = { method: 'POST', path: '/v1/things', key: 'k1', body: '{"name":"a"}' };
  test_context.deepEqual(seen, [same, same, same, same]);
});

test('Retry-After is honoured, and a long one ends the retries', async (test_context) => {
  const wait: Answer = [429, { error: 'wait' }, { 'Retry-After': '1' }];
  const short = await world(test_context, [wait, FILM]);
  const began = performance.now();
  test_context.true(E.isRight(await created(short.client('log_in', { longest_pause_ms: 2_000 }))));
  test_context.true(performance.now() - began >= 1_000);
  const hour: Answer = [429, { error: 'wait an hour' }, { 'Retry-After': '3600' }];
  const long = await world(test_context, [hour]);
  const refused = await created(long.client('log_in', { longest_retry_after_ms: 60_000 }));
  test_context.like(refused, { left: { status: 429, retry_after_s: 3600 } });
  test_context.is(long.seen.length, 1);
});

test('the time without requests is not a time without answers', async (test_context) => {
  const { seen, client } = await world(test_context, [FILM, [503, { error: 'busy' }], FILM]);
  let skipped_ms = 0;
  const idle = client('log_in', { clock: { monotonic: () => performance.now() + skipped_ms } });
  test_context.true(E.isRight(await created(idle)));
  skipped_ms = 120_000;
  test_context.true(E.isRight(await created(idle)));
  test_context.is(seen.length, 3);
});

test('a service that never answered is given up soon', async (test_context) => {
  const client = createApiClient({ base_url: 'http://127.0.0.1:9', api_key: 'vr_1', key_from: 'log_in' });
  const stop = new AbortController().signal;
  const times = { first_pause_ms: 5, longest_pause_ms: 5, timeout_ms: 60_000, never_answered_timeout_ms: 20 };
  const refused = await withRetries(client, createRequestRetrier({ ...times, stop })).send(Named, { path: '/' });
  test_context.like(refused, { left: { tag: 'unreachable', address: 'http://127.0.0.1:9' } });
  const report = E.isLeft(refused) ? reportText(reportOf(refused.left)) : '';
  test_context.regex(report, /does not answer at http:\/\/127\.0\.0\.1:9; check the address and your connection/);
});

test('other refusals are not retried, and say what to do', async (test_context) => {
  const said = async (answer: Answer, key_from: ApiClient['address']['key_from'] = 'log_in') => {
    const { seen, client } = await world(test_context, [answer]);
    const refused = await created(client(key_from));
    test_context.is(seen.length, 1);
    return E.isLeft(refused) ? reportText(reportOf(refused.left)) : '';
  };
  test_context.regex(await said([401, { error: 'unknown key' }]), /unknown key; log in again with "renderctl log in/);
  test_context.regex(await said([401, { error: 'unknown key' }], 'environment'), /set RENDERCTL_API_KEY/);
  test_context.regex(await said([402, { error: 'no credits' }]), /no credits; .*ask the operator/);
  test_context.regex(await said([402, { error: 'no credits' }], 'stack'), /renderctl account grant/);
  const team = { error: 'team_id: is required', code: 'invalid_parameter', param: 'team_id' };
  test_context.regex(await said([400, team]), /choose one with --team/);
  const scope = { error: 'this API key lacks the scope projects:write', code: 'scope_needed' };
  test_context.regex(await said([403, scope]), /lacks the scope projects:write; log in with such a key/);
  const faults = [{ path: 'name', message: 'is required' }];
  test_context.regex(await said([400, { error: 'document.name: is required', faults }]), /\n {2}name: is required\n$/);
  const moved = await said([301, {}, { Location: 'https://video.example.com/' }]);
  test_context.regex(moved, /redirects to https:\/\/video\.example\.com\//);
});

test('after Ctrl-C, requests end as interrupted', async (test_context) => {
  const { seen, client, stopping } = await world(test_context, [[503, { error: 'busy' }, { 'Retry-After': '30' }]]);
  const answer = created(client('log_in', { longest_pause_ms: 60_000 }));
  await pollUntil('the request is seen', async () => seen.length > 0);
  stopping.abort();
  test_context.deepEqual(await answer, E.left({ tag: 'interrupted' }));
});

test('a still over the API is saved as a JPEG or a WebP', async (test_context) => {
  const folder = await mkdtemp(join(tmpdir(), 'still '));
  test_context.teardown(() => rm(folder, { recursive: true }));
  const picture = { picture: 1 };
  const { seen, base_url } = await world(test_context, [
    [200, picture, { 'Ignored-Values': 'prize' }],
    [404, { error: 'there is no such path', code: 'unknown_path' }],
  ]);
  const renderctl = caller({ RENDERCTL_URL: base_url, RENDERCTL_API_KEY: 'vr_1' });
  const still = (name: string, ...more: readonly string[]) =>
    renderctl('still', 'proj_1', '--at', '1.5', '-o', join(folder, name), ...more);
  const drawn = await still('a.webp', '--template', 'tpl_1', '--value', 'prize=7', '--json');
  test_context.is(drawn.exit_code, 0, drawn.stderr);
  test_context.regex(drawn.stderr, /no fields for these values: prize/);
  test_context.like(JSON.parse(drawn.stdout), { at_s: 1.5, size_bytes: JSON.stringify(picture).length });
  test_context.deepEqual(JSON.parse(await readFile(join(folder, 'a.webp'), 'utf8')), picture);
  const [{ path, body } = { path: '', body: '' }] = seen;
  test_context.is(path, '/v1/stills');
  const template = { template_id: 'tpl_1', values: { prize: '7' } };
  test_context.deepEqual(JSON.parse(body), { project_id: 'proj_1', ...template, time_s: 1.5, format: 'webp' });
  test_context.regex((await still('a.jpg')).stderr, /too old to draw stills/);
  const png = await still('a.png');
  test_context.is(png.exit_code, 2);
  test_context.regex(png.stderr, /over the API, the picture is \.jpg or \.webp/);
});
