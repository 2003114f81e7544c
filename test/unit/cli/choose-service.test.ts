import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../../../cli/fault.ts';
import { baseUrlOf, chooseService } from '../../../cli/http/choose-service.ts';
import type { StackFile } from '../../../cli/stack-file.ts';

const STACK: StackFile = {
  ...{
    base_url: 'http://127.0.0.1:8080',
    kafka: 'k',
    registry_url: 'r',
    mongodb_url: 'm',
    blob_connection_string: 's',
  },
  ...{ api_key: 'vr_stack', pid: undefined, account_id: undefined, team_id: undefined, project_id: undefined },
  ...{ template_id: undefined, embedded: undefined, stills_url: undefined, stills_secret: undefined },
  ...{ webhook_secrets_key: undefined, webhook_public_key: undefined, outbound_allowed_ranges: undefined },
  ...{ outbound_allowed_ports: undefined, outbound_ca_file: undefined },
};
const LOG_IN = { url: 'https://video.example.com', api_key: 'vr_log_in' };
const NO_STACK: CliFault = { tag: 'no_stack' };

const chosen = (env: NodeJS.ProcessEnv, has: { readonly stack?: true; readonly log_in?: true } = {}) => {
  const stack = has.stack === true ? E.right(STACK) : E.left(NO_STACK);
  const { is_remote, address } = chooseService({ env, stack, log_in: has.log_in === true ? LOG_IN : null });
  const key = E.isRight(address) && 'api_key' in address.right ? address.right.api_key : 'a session';
  const at = E.isRight(address) ? `${key} at ${address.right.base_url}` : address.left.tag;
  return `${is_remote ? 'API' : 'servers'}: ${at}`;
};

const SERVERS = { KAFKA_BROKERS: 'kafka:9092', MONGODB_URL: 'mongodb://store/' };

test('without a log-in, commands use the servers as before', (t) => {
  t.is(chosen({}), 'servers: no_stack');
  t.is(chosen(SERVERS), 'servers: no_stack');
  t.is(chosen({}, { stack: true }), 'servers: vr_stack at http://127.0.0.1:8080');
  t.is(chosen({ RENDERCTL_API_KEY: 'vr_own' }, { stack: true }), 'servers: vr_own at http://127.0.0.1:8080');
  const compose = { ...SERVERS, RENDERCTL_BASE_URL: 'http://gateway:8080' };
  t.is(chosen(compose), 'servers: no_api_key');
  t.is(chosen({ ...compose, RENDERCTL_API_KEY: 'vr_own' }), 'servers: vr_own at http://gateway:8080');
});

test('a log-in changes nothing where the servers can be reached', (t) => {
  for (const env of [{}, SERVERS, { RENDERCTL_API_KEY: 'vr_own' }])
    t.is(chosen(env, { stack: true, log_in: true }), chosen(env, { stack: true }));
  t.is(chosen(SERVERS, { log_in: true }), chosen(SERVERS));
});

test('a log-in is used where no server can be reached', (t) => {
  t.is(chosen({}, { log_in: true }), 'API: vr_log_in at https://video.example.com');
  t.is(chosen({ RENDERCTL_API_KEY: 'vr_own' }, { log_in: true }), 'API: vr_own at https://video.example.com');
  const base = { RENDERCTL_BASE_URL: 'http://gateway:8080', RENDERCTL_API_KEY: 'vr_own' };
  t.is(chosen(base, { log_in: true }), 'API: vr_own at http://gateway:8080');
});

test('RENDERCTL_URL decides before everything, and never sends the key of another service', (t) => {
  const other = { RENDERCTL_URL: 'https://other.example.com/' };
  t.is(chosen(other, { stack: true, log_in: true }), 'API: not_logged_in');
  t.is(chosen({ ...other, RENDERCTL_API_KEY: 'vr_own' }, { stack: true }), 'API: vr_own at https://other.example.com');
  const same = { ...SERVERS, RENDERCTL_URL: 'https://video.example.com/' };
  t.is(chosen(same, { stack: true, log_in: true }), 'API: vr_log_in at https://video.example.com');
  t.is(chosen({ RENDERCTL_URL: 'video.example.com' }), 'API: usage');
});

test('an unreadable stack file is reported, not replaced by a log-in', (t) => {
  const stack = E.left<CliFault>({ tag: 'stack_file_unreadable', path: 'stack.json', message: 'it is not JSON' });
  const chosen_service = chooseService({ env: {}, stack, log_in: LOG_IN });
  t.deepEqual(chosen_service, { is_remote: false, address: stack, session: stack });
});

test('a session is used only at its service, without a key in the environment', (t) => {
  const log_in = { url: LOG_IN.url, session: { token: 'vrs_1', expires_at: 1, team_id: 'team_1' } };
  const at = (env: NodeJS.ProcessEnv, more: object = {}) => {
    const { session, address } = chooseService({ env, stack: E.left(NO_STACK), log_in: { ...log_in, ...more } });
    const key = E.isLeft(address)
      ? address.left.tag
      : 'token' in address.right
        ? address.right.token
        : address.right.api_key;
    return [E.isRight(session) ? `${session.right.token} ${session.right.team_id}` : session.left.tag, key];
  };
  t.deepEqual(at({}), ['vrs_1 team_1', 'vrs_1']);
  t.deepEqual(at({}, { api_key: 'vr_log_in' }), ['vrs_1 team_1', 'vr_log_in']);
  t.deepEqual(at({ RENDERCTL_URL: `${LOG_IN.url}/` }), ['vrs_1 team_1', 'vrs_1']);
  t.deepEqual(at({ RENDERCTL_API_KEY: 'vr_own' }), ['session_needed', 'vr_own']);
  t.deepEqual(at({ RENDERCTL_URL: 'https://other.example.com' }), ['session_needed', 'not_logged_in']);
});

test('a key that cannot be sent is a usage error, not an unreachable service', (t) => {
  const url = { RENDERCTL_URL: 'https://video.example.com' };
  for (const key of ['vr_…', 'vr_a vr_b', 'vr_a\nvr_b', 'x'.repeat(501)]) {
    t.is(chosen({ ...url, RENDERCTL_API_KEY: key }), 'API: usage', key);
    t.is(chosen({ RENDERCTL_API_KEY: key }, { stack: true }), 'servers: usage', key);
  }
  t.is(chosen({ ...url, RENDERCTL_API_KEY: ' vr_own\r\n' }), 'API: vr_own at https://video.example.com');
});

test('the address of a service is of the web and holds no secrets', (t) => {
  t.is(baseUrlOf('https://video.example.com///'), 'https://video.example.com');
  t.is(baseUrlOf('https://example.com/video/?x=1#y'), 'https://example.com/video');
  for (const text of ['video.example.com', 'ftp://video.example.com', 'https://a:b@video.example.com', ''])
    t.is(baseUrlOf(text), null, text);
});
