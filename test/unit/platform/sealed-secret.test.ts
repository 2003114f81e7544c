import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import {
  mintPrivateKey,
  type OpeningKey,
  openingKey,
  publicKeyText,
  sealingKey,
} from '../../../platform/secrets/key-pair.ts';
import {
  type OpenSecret,
  type SealSecret,
  sealingKeyName,
  secretOpen,
  secretSeal,
} from '../../../platform/secrets/sealed-secret.ts';
import { mintWebhookSecret } from '../../../platform/secrets/webhook-secret.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SECRETS_KEY = 'a'.repeat(64);

/** SECRET sealed with SECRETS_KEY for whe_1: code changes must keep it readable. */
const SEALED_V1 =
  'v1.YABtZEcyyVZED_je.cGql8gHws2v5gI-sOEiNbn6EqR82QjqN28unvh9tHPEGHWEw6P60Hpqx-Q5UcOzRSrLTgaQEcH3L-VI5iIrY3ktR';

/**
 * The output of `openssl genpkey -algorithm X25519 -outform DER | openssl base64 -A`, and its `openssl pkey -pubout`.
 */
const PRIVATE_KEY = 'MC4CAQAwBQYDK2VuBCIEIHj0VoWK71TjW2NnjTv4CtrfXCFymszeyS1h4eTnhwZu';
const PUBLIC_KEY = 'MCowBQYDK2VuAyEAp34q2rQexfD82NGqfceDyT8tIrQFBx1Z9dHGJUYyex8=';

/** SECRET sealed to PUBLIC_KEY. The HPKE implementation of Python's `cryptography` opens it too. */
const SEALED_V2 =
  'v2.052ad5a192d92c57.hpke-x25519-sha256-aes256gcm.-IxTu8-SLZbT-iWPyKGRnMXlvC7P-jglDjxo56g7dlSgSDgwZDNzi79CYqUh1TstiZkXK1hADVK8b8y0LpM0FS8SmyjMWQo5CdpwxmFa6tW3NWi8gp7v8_xSR4jzjsYsjyk';

const privateKey = (text: string): OpeningKey => {
  const key = openingKey(text);
  if (key === undefined) throw new Error('no key');
  return key;
};

const KEY = privateKey(PRIVATE_KEY);
const another = (): OpeningKey => privateKey(mintPrivateKey());

const right = <A>(found: E.Either<string, A>): A => {
  if (E.isLeft(found)) throw new Error(found.left);
  return found.right;
};
const opener = (private_keys: readonly OpeningKey[], secrets_key?: string): OpenSecret =>
  right(secretOpen({ private_keys, secrets_key }));
const sealTo = (public_key: OpeningKey): SealSecret => right(secretSeal({ public_key, secrets_key: SECRETS_KEY }));
const sealV1 = right(secretSeal({ public_key: undefined, secrets_key: SECRETS_KEY }));

const ALL = opener([KEY], SECRETS_KEY);

const FORMS: readonly [string, SealSecret, string, RegExp][] = [
  ['v1', sealV1, SEALED_V1, /^v1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/],
  ['v2', sealTo(KEY), SEALED_V2, /^v2\.052ad5a192d92c57\.hpke-x25519-sha256-aes256gcm\.[A-Za-z0-9_-]+$/],
];

for (const [version, seal, sealed_before, form] of FORMS) {
  test(`${version}: a sealed secret opens only with the key, for its endpoint`, async (t) => {
    const sealed = await seal('whe_1', SECRET);
    t.regex(sealed, form);
    t.deepEqual(await ALL('whe_1', sealed), E.right(SECRET));
    t.deepEqual(await ALL('whe_1', sealed), E.right(SECRET), 'again');
    t.true(E.isLeft(await ALL('whe_2', sealed)));
  });

  test(`${version}: equal secrets look different when sealed, and reveal nothing`, async (t) => {
    const sealed = await seal('whe_1', SECRET);
    t.not(await seal('whe_1', SECRET), sealed);
    t.false(Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url').includes('whsec'));
  });

  test(`${version}: a text sealed by an earlier process can always be opened`, async (t) => {
    t.deepEqual(await ALL('whe_1', sealed_before), E.right(SECRET));
  });

  test(`${version}: an altered or truncated text does not open`, async (t) => {
    for (let at = 0; at < sealed_before.length; at += 1) {
      const other = sealed_before[at] === 'A' ? 'B' : 'A';
      const altered = sealed_before.slice(0, at) + other + sealed_before.slice(at + 1);
      t.true(E.isLeft(await ALL('whe_1', altered)), `character ${at}`);
      t.true(E.isLeft(await ALL('whe_1', sealed_before.slice(0, at))), `${at} characters`);
    }
  });
}

const UNOPENED: readonly [string, OpenSecret, string, RegExp][] = [
  [
    'of v1 with another key',
    opener([KEY], 'b'.repeat(64)),
    SEALED_V1,
    /cannot be opened with this WEBHOOK_SECRETS_KEY/,
  ],
  ['of v1 without a key', opener([KEY]), SEALED_V1, /sealed with a WEBHOOK_SECRETS_KEY, but none is set/],
  [
    'of v2 with other keys',
    opener([another()], SECRETS_KEY),
    SEALED_V2,
    /to the key 052ad5a192d92c57, which is not among/,
  ],
  ['of v2 with a key of v1', opener([], SECRETS_KEY), SEALED_V2, /not among WEBHOOK_PRIVATE_KEYS/],
  ['with a later algorithm', ALL, SEALED_V2.replace('x25519', 'x448'), /sealed with hpke-x448-sha256-aes256gcm/],
  ['with a later format', ALL, SEALED_V2.replace('v2', 'v3'), /in a form that this version does not know/],
  ['without a format', ALL, SECRET, /in a form that this version does not know/],
  ['that is empty, as of a deleted endpoint', ALL, '', /in a form that this version does not know/],
];

for (const [title, open, sealed, reason] of UNOPENED)
  test(`a secret ${title} does not open, and the fault says why`, async (t) => {
    const opened = await open('whe_1', sealed);
    t.regex(E.isLeft(opened) ? opened.left : '', reason);
  });

test('during a rotation each private key opens its texts, in any order', async (t) => {
  const next = another();
  const sealed = await sealTo(next)('whe_1', 'whsec_new');
  for (const keys of [
    [KEY, next],
    [next, KEY],
  ]) {
    t.deepEqual(await opener(keys)('whe_1', SEALED_V2), E.right(SECRET));
    t.deepEqual(await opener(keys)('whe_1', sealed), E.right('whsec_new'));
  }
  t.deepEqual(
    [sealingKeyName(sealed), sealingKeyName(SEALED_V2), sealingKeyName(SEALED_V1)],
    [next.id, KEY.id, 'WEBHOOK_SECRETS_KEY'],
  );
});

test('without a key nothing can be sealed or opened', (t) => {
  const seal = secretSeal({ public_key: undefined, secrets_key: undefined });
  const open = secretOpen({ private_keys: [], secrets_key: undefined });
  t.regex(E.isLeft(seal) ? seal.left : '', /^WEBHOOK_PUBLIC_KEY is not set/);
  t.regex(E.isLeft(open) ? open.left : '', /^WEBHOOK_PRIVATE_KEYS is not set/);
});

test('openssl keys are read, and private and public keys are not confused', (t) => {
  t.is(publicKeyText(KEY), PUBLIC_KEY);
  t.is(sealingKey(PUBLIC_KEY)?.id, KEY.id);
  t.is(sealingKey(PRIVATE_KEY), undefined);
  t.is(openingKey(PUBLIC_KEY), undefined);
  for (const text of ['', 'a'.repeat(64), PRIVATE_KEY.slice(4), `${PRIVATE_KEY}\n`]) t.is(openingKey(text), undefined);
});

test('a new secret is whsec_ and 32 random bytes', (t) => {
  const secret = mintWebhookSecret();
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.is(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32);
  t.not(secret, mintWebhookSecret());
});
