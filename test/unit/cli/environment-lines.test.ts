import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { environmentOf, exportLines } from '../../../cli/environment-lines.ts';
import type { StackFile } from '../../../cli/stack-file.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../../../platform/configuration/parts.ts';
import { embeddedAddresses, externalAddresses } from '../../../platform/configuration/stack-addresses.ts';
import { launcherEnvironment } from '../../../stack/environment.ts';
import { embeddedServers } from '../../../stack/servers/servers.ts';

const STACK: StackFile = {
  base_url: 'http://127.0.0.1:8080',
  kafka: '127.0.0.1:9092',
  registry_url: 'http://127.0.0.1:8085/apis/ccompat/v7',
  mongodb_url: 'mongodb://127.0.0.1:27017/?replicaSet=rs0&directConnection=true',
  blob_connection_string:
    "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=it's$(false)`x`==;BlobEndpoint=http://127.0.0.1:1/a;",
  pid: undefined,
  api_key: 'vr_1',
  account_id: 'acc_1',
  team_id: 'team_1',
  project_id: 'proj_1',
  template_id: undefined,
  embedded: undefined,
  webhook_secrets_key: 'k'.repeat(64),
  webhook_public_key: undefined,
  stills_url: undefined,
  stills_secret: undefined,
  outbound_allowed_ranges: 'loopback',
  outbound_allowed_ports: 'any',
  outbound_ca_file: undefined,
};

test('a shell that evaluates the lines has exactly the given values', async (t) => {
  const script = `${exportLines(environmentOf(STACK))}printf '%s|%s|%s' "$BASE_URL" "$MONGODB_URL" "$AZURE_STORAGE_CONNECTION_STRING"`;
  const { stdout } = await execa('bash', ['-euc', script]);
  t.is(stdout, `${STACK.base_url}|${STACK.mongodb_url}|${STACK.blob_connection_string}`);
});

test('the environment of a shell has no key that opens webhook secrets', (t) => {
  t.false(exportLines(environmentOf(STACK)).includes('k'.repeat(64)));
});

test('settings that the stack lacks are left out', (t) => {
  const names = Object.keys(environmentOf(STACK));
  t.true(names.includes('API_KEY'));
  t.false(names.includes('TEMPLATE_ID'));
});

const ADDRESSES = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING'];
const EMBEDDED = ['STACK_KAFKA', 'STACK_REGISTRY_URL', 'STACK_MONGODB_URL', 'STACK_BLOB_CONNECTION_STRING'];

test('a component that is started by hand in that shell finds the servers', (t) => {
  const configuration = decodeConfiguration(environmentOf(STACK), {
    ...{ log: EVENT_LOG, registry: SCHEMA_REGISTRY, store: READ_STORE, blobs: BLOB_STORE },
  });
  if (E.isLeft(configuration)) return t.fail(configuration.left.join('\n'));
  t.deepEqual(configuration.right.log.brokers, [STACK.kafka]);
  t.is(configuration.right.store.url, STACK.mongodb_url);
});

test('scripts that use former variable names find the same values', (t) => {
  const lines = environmentOf(STACK);
  t.deepEqual(
    EMBEDDED.map((name) => lines[name]),
    ADDRESSES.map((name) => lines[name]),
  );
});

test('the next stack that starts in that shell starts its own servers', (t) => {
  const shell = { PATH: '/bin', ...environmentOf(STACK) };
  t.deepEqual(embeddedServers(launcherEnvironment(shell)), ['kafka', 'registry', 'store', 'blob']);
  t.deepEqual(embeddedAddresses(shell), ADDRESSES);
});

test('a given server is used, whether set later or passed to the stack', (t) => {
  const given_after = { ...environmentOf(STACK), KAFKA_BROKERS: 'kafka:9092' };
  t.deepEqual(embeddedServers(launcherEnvironment(given_after)), ['registry', 'store', 'blob']);
  t.deepEqual(externalAddresses(given_after), ['KAFKA_BROKERS']);
  const embedded = ADDRESSES.filter((name) => name !== 'MONGODB_URL');
  const of_mixed = environmentOf({ ...STACK, embedded });
  t.is(of_mixed.MONGODB_URL, STACK.mongodb_url);
  t.false('STACK_MONGODB_URL' in of_mixed);
  t.deepEqual(embeddedServers(launcherEnvironment(of_mixed)), ['kafka', 'registry', 'blob']);
});
