import test from 'ava';
import { execa } from 'execa';
import { signatureOf } from '../../../webhook-relay/signature.ts';

const SECRET = 'whsec_äöü/+=';
const BODY = Buffer.from('{"id":"hook_1","data":{"name":"Frühling \\u0000"}}', 'utf8');

test('a signature is the one that openssl makes of the same bytes and the whole secret', async (t) => {
  const key = Buffer.from(SECRET, 'utf8').toString('hex');
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-r'];
  const { stdout } = await execa('openssl', args, { input: BODY });
  t.is(signatureOf(BODY, SECRET), `sha256=${stdout.split(' ')[0]}`);
});

test('one altered byte makes another signature', (t) => {
  const altered = Buffer.from(BODY);
  altered[0] = 0x5b;
  t.not(signatureOf(altered, SECRET), signatureOf(BODY, SECRET));
});
