import test from 'ava';
import { sealer } from '../../../platform/secrets/sealed-secret.ts';
import { mintWebhookSecret } from '../../../platform/secrets/webhook-secret.ts';

const KEY = 'a'.repeat(64);
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** SECRET, sealed once with KEY for whe_1: no change of the code may make it unreadable. */
const SEALED_BEFORE =
  'v1.YABtZEcyyVZED_je.cGql8gHws2v5gI-sOEiNbn6EqR82QjqN28unvh9tHPEGHWEw6P60Hpqx-Q5UcOzRSrLTgaQEcH3L-VI5iIrY3ktR';

test('what was sealed is opened by whoever has the key', (t) => {
  const sealed = sealer(KEY).seal('whe_1', SECRET);
  t.regex(sealed, /^v1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
  t.is(sealer(KEY).open('whe_1', sealed), SECRET);
});

test('what is sealed twice looks different, and shows nothing', (t) => {
  const { seal } = sealer(KEY);
  t.not(seal('whe_1', SECRET), seal('whe_1', SECRET));
  t.false(Buffer.from(seal('whe_1', SECRET)).includes('whsec'));
});

test('a text sealed by an earlier process is opened for ever', (t) => {
  t.is(sealer(KEY).open('whe_1', SEALED_BEFORE), SECRET);
});

const UNOPENED: readonly [string, string, string, string][] = [
  ['with another key', 'b'.repeat(64), 'whe_1', SEALED_BEFORE],
  ['for another endpoint', KEY, 'whe_2', SEALED_BEFORE],
  ['cut off', KEY, 'whe_1', SEALED_BEFORE.slice(0, -4)],
  ['without its tag', KEY, 'whe_1', SEALED_BEFORE.slice(0, 24)],
  ['of another form', KEY, 'whe_1', SECRET],
  ['of a later form', KEY, 'whe_1', SEALED_BEFORE.replace('v1', 'v2')],
  ['empty, as of a deleted endpoint', KEY, 'whe_1', ''],
];

for (const [title, key, endpoint_id, text] of UNOPENED)
  test(`${title} it is not opened`, (t) => {
    t.is(sealer(key).open(endpoint_id, text), null);
  });

test('altered in any character it is not opened', (t) => {
  for (let at = 0; at < SEALED_BEFORE.length; at += 1) {
    const other = SEALED_BEFORE[at] === 'A' ? 'B' : 'A';
    const altered = SEALED_BEFORE.slice(0, at) + other + SEALED_BEFORE.slice(at + 1);
    t.is(sealer(KEY).open('whe_1', altered), null, `character ${at}`);
  }
});

test('a fresh secret is whsec_ and 32 random bytes', (t) => {
  const secret = mintWebhookSecret();
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.is(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32);
  t.not(secret, mintWebhookSecret());
});
