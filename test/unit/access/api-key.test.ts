import { randomBytes } from 'node:crypto';
import test from 'ava';
import { apiKeyHash, bearerToken, mintApiKey } from '../../../domain/access/api-key.ts';
import { sha256Hex } from '../../../platform/access/sha256.ts';

const minted = () => {
  const key = mintApiKey(randomBytes(32), sha256Hex);
  if (key === null) throw new Error('32 bytes make a key');
  return key;
};

test('a key has a prefix, 256 bits and a checksum, stored hashed', (t) => {
  const { key, secret_sha256, last4 } = minted();
  t.regex(key, /^vr_[0-9A-Za-z]{49}$/);
  t.is(last4, key.slice(-4));
  t.is(apiKeyHash(key, sha256Hex), secret_sha256);
  t.is(secret_sha256, sha256Hex(key));
});

test('the key format is stable, because issued keys exist', (t) => {
  t.deepEqual(mintApiKey(new Uint8Array(32), sha256Hex), {
    key: 'vr_000000000000000000000000000000000000000000029Rniy',
    secret_sha256: '552675b1457dc8f986a25ee20bc8d6656e6c2aca9da45d0612c901f8323e0ad2',
    prefix: 'vr_0000',
    last4: 'Rniy',
  });
  const largest = mintApiKey(new Uint8Array(32).fill(255), sha256Hex);
  t.is(largest?.key, 'vr_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp10FmvPs');
});

test('a key with another number of random bytes is refused', (t) => {
  t.is(mintApiKey(new Uint8Array(31), sha256Hex), null);
  t.is(mintApiKey(new Uint8Array(33), sha256Hex), null);
});

test('a key with one wrong character is invalid', (t) => {
  const { key } = minted();
  for (let i = 0; i < key.length; i += 1) {
    const wrong = `${key.slice(0, i)}${key[i] === 'a' ? 'b' : 'a'}${key.slice(i + 1)}`;
    t.is(apiKeyHash(wrong, sha256Hex), null, `position ${i}`);
  }
  for (const text of ['', 'vr_', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`])
    t.is(apiKeyHash(text, sha256Hex), null);
});

test('only one Bearer token is read from the header', (t) => {
  t.is(bearerToken('Bearer abc'), 'abc');
  t.is(bearerToken('bearer   abc '), 'abc');
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc', 'Bearer abc, Bearer def'])
    t.is(bearerToken(header), null);
});
