import test from 'ava';
import { execa } from 'execa';
import { environmentOf, exportLines } from '../../../cli/environment-lines.ts';
import type { StackFile } from '../../../cli/stack-file.ts';

const STACK: StackFile = {
  base_url: 'http://127.0.0.1:8080',
  kafka: '127.0.0.1:9092',
  registry_url: 'http://127.0.0.1:8085/apis/ccompat/v7',
  mongodb_url: 'mongodb://127.0.0.1:27017/?replicaSet=rs0&directConnection=true',
  blob_connection_string: "AccountName=a;AccountKey=it's$(false)`x`==;",
  pid: undefined,
  api_key: 'vr_1',
  account_id: 'acc_1',
  team_id: 'team_1',
  project_id: 'proj_1',
  template_id: undefined,
  webhook_secrets_key: 'k'.repeat(64),
  webhook_public_key: undefined,
  outbound_allowed_ranges: 'loopback',
  outbound_allowed_ports: 'any',
  outbound_ca_file: undefined,
};

test('a shell that evaluates the lines has the very values', async (t) => {
  const script = `${exportLines(environmentOf(STACK))}printf '%s|%s|%s' "$BASE_URL" "$STACK_MONGODB_URL" "$STACK_BLOB_CONNECTION_STRING"`;
  const { stdout } = await execa('bash', ['-euc', script]);
  t.is(stdout, `${STACK.base_url}|${STACK.mongodb_url}|${STACK.blob_connection_string}`);
});

test('what opens the secrets of webhook endpoints is in no environment of a shell', (t) => {
  t.false(exportLines(environmentOf(STACK)).includes('k'.repeat(64)));
});

test('what the stack does not have is left out', (t) => {
  const names = Object.keys(environmentOf(STACK));
  t.true(names.includes('API_KEY'));
  t.false(names.includes('TEMPLATE_ID'));
});

test('no name is one that the next start of a stack would take for an address of its own', (t) => {
  const names = Object.keys(environmentOf(STACK));
  const taken = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING'];
  t.deepEqual(
    names.filter((name) => taken.includes(name)),
    [],
  );
});
