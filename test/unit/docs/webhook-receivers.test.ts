import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { execa } from 'execa';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../../stack/process/ports.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { loadOrCreateCertificates } from '../../../stack/tls/kept-certificates.ts';

// The receivers of examples/ as programs, with deliveries signed by third-party code: openssl and the package
// standardwebhooks.
const test = anyTest as TestFn<{ readonly folder: string }>;

const EXAMPLES = join(ROOT, 'examples', 'webhook-receiver');
const RECEIVERS: Readonly<Record<string, readonly [string, string]>> = {
  TypeScript: [process.execPath, 'receiver.ts'],
  Python: ['python3', 'receiver.py'],
};

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const NEXT_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** JSON.stringify would write other bytes, so a parsed and serialized body fails the signature. */
const bodyOf = (id: string, status: string): string =>
  `{"id": "${id}", "event": "render.status_changed", "timestamp": 1763740894200,
    "data": {"id": "rend_1", "name": "Héllo \\u00e9", "status": "${status}", "output": {}}}`;

const signature = async (body: string, secret: string): Promise<string> => {
  const { stdout } = await execa('openssl', ['dgst', '-sha256', '-hmac', secret], { input: body });
  return `sha256=${stdout.split(' ').at(-1)}`;
};

type Headers = Readonly<Record<string, string>>;

const signed = async (
  body: string,
  secret = SECRET,
  standard: readonly string[] = [secret],
  at_ms = Date.now(),
): Promise<Headers> => {
  const id = /hook_\w+/.exec(body)?.[0] ?? '';
  const at = new Date(at_ms);
  return {
    'X-Webhook-ID': id,
    'X-Webhook-Timestamp': '1763740894200',
    'X-Webhook-Signature': await signature(body, secret),
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at_ms / 1_000)),
    'webhook-signature': standard.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
  };
};

test.before(async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'receivers '));
  await loadOrCreateCertificates(folder);
  Object.assign(t.context, { folder });
});

test.after.always((t) => rmSync(t.context.folder, { recursive: true, force: true }));

for (const [language, [program, file]] of Object.entries(RECEIVERS)) {
  /** Starts a receiver; its output is complete when it ends. */
  const receiver = async (folder: string, secret: string) => {
    const port = await freePort();
    const tls = (name: string) => join(folder, 'tls', name);
    const running = execa(program, [join(EXAMPLES, file)], {
      env: {
        WEBHOOK_SECRET: secret,
        PORT: String(port),
        TLS_CERT: tls('localhost.pem'),
        TLS_KEY: tls('localhost.key'),
      },
      reject: false,
      stdin: 'ignore',
      timeout: 60_000,
    });
    let printed = '';
    running.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
    running.stderr.resume();
    await pollUntil('the receiver listens', async () => printed.includes(`https://127.0.0.1:${port}`));
    const post = async (body: string, headers: Headers, method = 'POST'): Promise<number> => {
      const ca = readFileSync(tls('ca.pem'));
      const length = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
      const call = request({ host: 'localhost', port, family: 4, method, ca, headers: { ...length, ...headers } });
      call.end(body);
      const [answer] = await once(call, 'response');
      answer.resume();
      return answer.statusCode;
    };
    const lines = () => printed.split('\n').slice(1, -1);
    const stop = async (): Promise<void> => {
      running.kill('SIGTERM');
      await running;
    };
    return { port, post, lines, stop };
  };

  test(`the receiver in ${language} accepts each signed delivery once, and no older state`, async (t) => {
    const { port, post, lines, stop } = await receiver(t.context.folder, SECRET);
    t.teardown(stop);
    // A connection without a request does not block others.
    const silent = connect(port, '127.0.0.1');
    t.teardown(() => silent.destroy());
    await once(silent, 'connect');

    for (const [id, status] of [
      ['hook_1', 'processing'],
      ['hook_1', 'processing'],
      ['hook_2', 'complete'],
      ['hook_3', 'finalizing'],
    ] as const) {
      const body = bodyOf(id, status);
      t.is(await post(body, await signed(body)), 204, id);
    }
    const about = 'render.status_changed rend_1';
    const wanted = [
      `new ${about} processing`,
      `again ${about} processing`,
      `new ${about} complete`,
      `late ${about} finalizing`,
    ];
    await pollUntil('all deliveries are processed', async () => lines().length >= wanted.length);
    t.deepEqual(lines().toSorted(), wanted.toSorted());
  });

  test(`the receiver in ${language} refuses unsigned, altered, old or too large deliveries`, async (t) => {
    const { post, lines, stop } = await receiver(t.context.folder, SECRET);
    t.teardown(stop);
    const body = bodyOf('hook_1', 'ready');
    const good = await signed(body);
    const without = (...names: readonly string[]): Headers =>
      Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name)));
    const now_ms = Date.now();

    t.is(await post(body, {}), 401, 'no header at all');
    t.is(await post(body.replace('ready', 'failed'), good), 401, 'other words');
    t.is(await post(`${body}\n`, good), 401, 'a byte more');
    t.is(await post(JSON.stringify(JSON.parse(body)), good), 401, 'parsed and serialized again');
    t.is(await post(body, await signed(body, NEXT_SECRET)), 401, 'another secret');
    t.is(await post(body, without('X-Webhook-Signature')), 401, 'one signature is missing');
    t.is(await post(body, without('webhook-signature')), 401, 'the other one is missing');
    t.is(await post(body, without('webhook-timestamp')), 401, 'no time');
    t.is(await post(body, { ...good, 'X-Webhook-Signature': `${good['X-Webhook-Signature']}0` }), 401, 'a digit more');
    t.is(await post(body, { ...good, 'X-Webhook-Signature': 'sha256=' }), 401, 'no digits');
    t.is(await post(body, { ...good, 'webhook-id': 'hook_2' }), 401, "another delivery's id");
    t.is(
      await post(body, { ...good, 'webhook-timestamp': String(Math.floor(now_ms / 1_000) - 60) }),
      401,
      'another time',
    );
    t.is(await post(body, await signed(body, SECRET, [SECRET], now_ms - 400_000)), 401, 'too old');
    t.is(await post(body, await signed(body, SECRET, [SECRET], now_ms + 400_000)), 401, 'from the future');
    const big = bodyOf('hook_4', 'x'.repeat(1_100_000));
    t.is(await post(big, await signed(big)), 413);
    t.deepEqual(lines(), []);
    t.is(await post(body, good), 204, 'the original request');
  });

  test(`the receiver in ${language} works at every moment of a rotation`, async (t) => {
    const before = await receiver(t.context.folder, SECRET);
    t.teardown(before.stop);
    const both = await receiver(t.context.folder, `${SECRET} ${NEXT_SECRET}`);
    t.teardown(both.stop);
    const after = await receiver(t.context.folder, NEXT_SECRET);
    t.teardown(after.stop);

    const begun = bodyOf('hook_1', 'ready');
    const during = await signed(begun, SECRET, [NEXT_SECRET, SECRET]);
    t.is(await before.post(begun, during), 204, 'the receiver lacks the new secret');
    t.is(await both.post(begun, during), 204);
    const activated = bodyOf('hook_2', 'queued');
    const since = await signed(activated, NEXT_SECRET);
    t.is(await both.post(activated, since), 204);
    t.is(await after.post(activated, since), 204, 'the receiver no longer has the old secret');
  });
}

test('the receivers need only their secret, and report a missing one', async (t) => {
  for (const [program, file] of Object.values(RECEIVERS)) {
    const { exitCode, stderr } = await execa(program, [join(EXAMPLES, file)], {
      env: { WEBHOOK_SECRET: '' },
      reject: false,
    });
    t.not(exitCode, 0);
    t.regex(stderr, /WEBHOOK_SECRET must hold the secret of the endpoint/);
  }
});
