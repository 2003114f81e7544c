import { createHmac, randomBytes } from 'node:crypto';
import test from 'ava';
import { hmacSha256 } from '../../../../schemas/seal/hmac-sha256.ts';

test('the HMAC is the one of node:crypto, for all lengths of keys', (t) => {
  for (let length = 0; length <= 64; length += 1) {
    const key = randomBytes(length);
    const message = randomBytes(length % 40);
    t.deepEqual(hmacSha256(key, message), createHmac('sha256', key).update(message).digest(), `${length} bytes`);
  }
  t.throws(() => hmacSha256(randomBytes(65), Buffer.alloc(0)));
});
