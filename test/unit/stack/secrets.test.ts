import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { keptSecrets } from '../../../stack/secrets.ts';

const folder = (t: { teardown: (work: () => void) => void }): string => {
  const made = mkdtempSync(join(tmpdir(), 'secrets '));
  t.teardown(() => rmSync(made, { recursive: true }));
  return made;
};

test('the secrets of a stack are made once, each another, and read by their owner alone', (t) => {
  const data = join(folder(t), 'data');
  const secrets = keptSecrets(data);
  t.regex(secrets.CURSOR_SECRET, /^[0-9a-f]{64}$/);
  t.regex(secrets.IDEMPOTENCY_SECRET, /^[0-9a-f]{64}$/);
  t.not(secrets.CURSOR_SECRET, secrets.IDEMPOTENCY_SECRET);
  t.deepEqual(keptSecrets(data), secrets);
  t.deepEqual(readdirSync(data), ['secrets.json']);
  t.is(statSync(join(data, 'secrets.json')).mode & 0o777, 0o600);
});

test('secrets that cannot be read are not made anew', (t) => {
  const data = folder(t);
  writeFileSync(join(data, 'secrets.json'), '{}');
  t.throws(() => keptSecrets(data), { message: /does not hold the secrets of this stack/ });
});
