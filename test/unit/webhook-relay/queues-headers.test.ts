import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { bodySignature, signatureFault, standardSignature } from '../../../platform/secrets/webhook-signatures.ts';
import { retryAfterMs } from '../../../webhook-relay/queues/outcome.ts';
import { attemptHeaders } from '../../../webhook-relay/queues/prepare-attempt.ts';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const BODY = Buffer.from('{"id":"hook_1","event":"render.complete","data":{"name":"Grüße 🎬"}}', 'utf8');

test('X-Webhook-Signature is the HMAC-SHA256 of the body in hex, keyed with the whole secret', (t) => {
  // The well-known example of HMAC-SHA256.
  const signature = bodySignature(Buffer.from('The quick brown fox jumps over the lazy dog'), 'key');
  t.is(signature, 'sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8');
});

test('the Standard Webhooks signature equals that of its reference implementation', (t) => {
  const at = new Date(1_700_000_000_000);
  const signature = standardSignature('hook_1', 1_700_000_000, BODY, NEW);
  t.is(signature, new Webhook(NEW).sign('hook_1', at, BODY.toString('utf8')));
});

test('during a rotation, receivers verify every delivery with either secret', (t) => {
  const now = Date.now();
  const secrets = { signature: OLD, standard: [NEW, OLD] };
  const headers = attemptHeaders('hook_1', 1_699_999_999_123, BODY, secrets, now);
  t.like(headers, {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Webhook-ID': 'hook_1',
    'X-Webhook-Timestamp': '1699999999123',
    'X-Webhook-Signature': bodySignature(BODY, OLD),
    'webhook-id': 'hook_1',
    'webhook-timestamp': String(Math.floor(now / 1_000)),
  });
  for (const secret of [OLD, NEW]) t.notThrows(() => new Webhook(secret).verify(BODY.toString('utf8'), { ...headers }));
  t.throws(() => new Webhook(NEW).verify(`${BODY.toString('utf8')} `, { ...headers }));
});

test("the receiver's check names the signature that does not match", (t) => {
  const now = Date.now();
  const headersOf = (secrets: { readonly signature: string; readonly standard: readonly string[] }) =>
    Object.fromEntries(
      Object.entries(attemptHeaders('hook_1', 1, BODY, secrets, now)).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
    );
  const headers = headersOf({ signature: OLD, standard: [NEW, OLD] });
  t.is(signatureFault(BODY, headers, OLD, now), null);
  t.regex(signatureFault(Buffer.from('{}'), headers, OLD, now) ?? '', /^X-Webhook-Signature does not/);
  t.regex(signatureFault(BODY, headers, OLD, now + 301_000) ?? '', /more than five minutes/);
  t.regex(signatureFault(BODY, headersOf({ signature: OLD, standard: [NEW] }), OLD, now) ?? '', /^webhook-signature/);
  t.regex(signatureFault(BODY, {}, OLD, now) ?? '', /^X-Webhook-Signature does not/);
});

test('Retry-After can be seconds or any of three date formats', (t) => {
  const now = Date.parse('1994-11-06T08:49:30Z');
  const said: readonly (readonly [string | null, number | null])[] = [
    ['120', 120_000],
    [' 0 ', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7_000],
    ['Sun Nov  6 08:49:37 1994', 7_000],
    ['Sat, 05 Nov 1994 08:49:37 GMT', 0],
    [null, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['1e3', null],
    ['2030', 2_030_000],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
  ];
  for (const [text, ms] of said) t.is(retryAfterMs(text, now), ms, text ?? 'none');
});
