import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { mintPrivateKey, openingKey, publicKeyText } from '../../../platform/secrets/key-pair.ts';
import { signingKeyOf } from '../../../proofs/notes/keys.ts';
import { loadOrCreateSecrets, webhookKeys } from '../../../stack/secrets.ts';
import { loadOrCreateCertificates } from '../../../stack/tls/kept-certificates.ts';

const folder = (t: { teardown: (work: () => void) => void }): string => {
  const made = mkdtempSync(join(tmpdir(), 'secrets '));
  t.teardown(() => rmSync(made, { recursive: true }));
  return made;
};

test('the secrets of a stack differ, are created once and readable by the owner', (t) => {
  const data = join(folder(t), 'data');
  const secrets = loadOrCreateSecrets(data);
  t.regex(secrets.CURSOR_SECRET, /^[0-9a-f]{64}$/);
  t.regex(secrets.IDEMPOTENCY_SECRET, /^[0-9a-f]{64}$/);
  t.regex(secrets.WEBHOOK_SECRETS_KEY, /^[0-9a-f]{64}$/);
  t.truthy(openingKey(secrets.WEBHOOK_PRIVATE_KEYS));
  t.truthy(signingKeyOf(secrets.NOTARY_KEY));
  t.is(new Set(Object.values(secrets)).size, 7);
  t.deepEqual(loadOrCreateSecrets(data), secrets);
  t.deepEqual(readdirSync(data), ['secrets.json']);
  t.is(statSync(join(data, 'secrets.json')).mode & 0o777, 0o600);
});

test('an older folder without webhook key gets one, once, and keeps its secrets', (t) => {
  const data = folder(t);
  const path = join(data, 'secrets.json');
  const before = { CURSOR_SECRET: 'a', IDEMPOTENCY_SECRET: 'b', SOMETHING_LATER: 'c' };
  writeFileSync(path, JSON.stringify(before));
  const secrets = loadOrCreateSecrets(data);
  t.like(secrets, { CURSOR_SECRET: 'a', IDEMPOTENCY_SECRET: 'b' });
  t.regex(secrets.WEBHOOK_SECRETS_KEY, /^[0-9a-f]{64}$/);
  t.false('SOMETHING_LATER' in secrets);
  t.deepEqual(loadOrCreateSecrets(data), secrets);
  t.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { ...before, ...secrets });
  t.deepEqual(readdirSync(data), ['secrets.json']);
  t.is(statSync(path).mode & 0o777, 0o600);
});

test('an older folder without a key pair gets one, once, and keeps its key', (t) => {
  const data = folder(t);
  const path = join(data, 'secrets.json');
  const before = { CURSOR_SECRET: 'a', IDEMPOTENCY_SECRET: 'b', WEBHOOK_SECRETS_KEY: 'c' };
  writeFileSync(path, JSON.stringify(before));
  // Certificates exist as well, because they are created together with that key.
  mkdirSync(join(data, 'tls'));
  const secrets = loadOrCreateSecrets(data);
  t.like(secrets, before);
  t.truthy(openingKey(secrets.WEBHOOK_PRIVATE_KEYS));
  t.deepEqual(loadOrCreateSecrets(data), secrets);
  t.deepEqual(JSON.parse(readFileSync(path, 'utf8')), secrets);
});

test('webhook secrets are sealed with the first kept key, unless the environment sets keys', (t) => {
  const [first, second] = [mintPrivateKey(), mintPrivateKey()];
  const WEBHOOK_PRIVATE_KEYS = `${first},${second}`;
  const key = openingKey(first);
  t.deepEqual(webhookKeys({ WEBHOOK_PRIVATE_KEYS }, {}), {
    WEBHOOK_PRIVATE_KEYS,
    WEBHOOK_PUBLIC_KEY: key && publicKeyText(key),
  });
  t.deepEqual(webhookKeys({ WEBHOOK_PRIVATE_KEYS }, { WEBHOOK_PRIVATE_KEYS: second }), {});
  t.throws(() => webhookKeys({ WEBHOOK_PRIVATE_KEYS: 'x' }, {}), { message: /restore it/ });
});

test('unreadable secrets are not replaced', (t) => {
  const data = folder(t);
  writeFileSync(join(data, 'secrets.json'), '{}');
  t.throws(() => loadOrCreateSecrets(data), { message: /does not have valid secrets/ });
});

test('lost secrets are not replaced, because webhook endpoints are sealed with one', async (t) => {
  const data = join(folder(t), 'data');
  const path = join(data, 'secrets.json');
  const secrets = loadOrCreateSecrets(data);
  await loadOrCreateCertificates(data);
  t.deepEqual(loadOrCreateSecrets(data), secrets);
  const { WEBHOOK_SECRETS_KEY: _, ...others } = secrets;
  writeFileSync(path, JSON.stringify(others));
  t.throws(() => loadOrCreateSecrets(data), { message: /no longer has the secrets of this stack/ });
  rmSync(path);
  t.throws(() => loadOrCreateSecrets(data), { message: /no longer has the secrets of this stack/ });
});
