import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { catalogueError } from '../../../catalogue/api-errors/catalogue-error.ts';
import { createAddressCheck } from '../../../catalogue/endpoint-address.ts';
import { outboundRules } from '../../../platform/outbound/outbound-rules.ts';

const rules = outboundRules({
  allowed_ranges: [],
  allowed_ports: null,
  dns_servers: ['127.0.0.1:9'],
  ca_file: undefined,
});

const refusalOf = async (url: string): Promise<string> => {
  if (E.isLeft(rules)) throw new Error(rules.left);
  const checked = await createAddressCheck(rules.right)(url);
  return E.isRight(checked) ? checked.right : catalogueError({ tag: 'address_refused', ...checked.left }).message;
};

test('a refused endpoint names the private address of its URL', async (t) => {
  t.is(await refusalOf('https://10.0.0.1/hooks'), 'url: 10.0.0.1 is a private address');
  t.is(await refusalOf('https://0x7f.1/'), 'url: 127.0.0.1 is a private address');
  t.is(await refusalOf('https://[fd00::1]/'), 'url: fd00::1 is a private address');
  t.is(await refusalOf('http://10.0.0.1/'), 'url: must begin with https://');
});

test('a refused host name does not tell its addresses', async (t) => {
  t.is(await refusalOf('https://localhost/'), 'url: must have a host that exists and has only public addresses');
});
