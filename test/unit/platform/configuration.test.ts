import { readFileSync } from 'node:fs';
import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { documentation } from '../../../platform/configuration/documentation.ts';
import {
  BLOB_STORE,
  EVENT_LOG,
  HEALTH_AND_LOGS,
  PARTS,
  PUBLIC_SERVER,
  READ_STORE,
} from '../../../platform/configuration/parts.ts';

const page = new URL('../../../docs/configuration.md', import.meta.url);

test('docs/configuration.md matches the code', (t) => {
  t.is(readFileSync(page, 'utf8'), documentation(PARTS), 'run: node platform/configuration/write-documentation.ts');
});

test('an unset variable has its default', (t) => {
  const decoded = decodeConfiguration({ PORT: '' }, { server: PUBLIC_SERVER, operation: HEALTH_AND_LOGS });
  t.true(isRight(decoded));
  if (isRight(decoded)) {
    t.deepEqual(decoded.right.server, { host: '127.0.0.1', port: 0 });
    t.deepEqual(decoded.right.operation, { health_host: '127.0.0.1', health_port: 0, log_level: 'info' });
  }
});

test('values are parsed to their types', (t) => {
  const environment = { KAFKA_BROKERS: 'a:1, b:2', KAFKA_TLS: '1' };
  const decoded = decodeConfiguration(environment, { log: EVENT_LOG });
  t.true(isRight(decoded));
  if (isRight(decoded)) {
    t.deepEqual(decoded.right.log.brokers, ['a:1', 'b:2']);
    t.true(decoded.right.log.tls);
    t.is(decoded.right.log.username, undefined);
  }
});

test('all errors are reported together, each with its variable', (t) => {
  const environment = { KAFKA_BROKERS: 'nowhere', PORT: '-1', LOG_LEVEL: 'loud' };
  const decoded = decodeConfiguration(environment, {
    log: EVENT_LOG,
    server: PUBLIC_SERVER,
    operation: HEALTH_AND_LOGS,
    store: READ_STORE,
  });
  t.true(isLeft(decoded));
  if (isLeft(decoded)) {
    t.deepEqual(
      decoded.left.map((fault) => fault.split(' ', 1)[0]),
      ['KAFKA_BROKERS', 'PORT', 'LOG_LEVEL', 'MONGODB_URL'],
    );
    t.is(decoded.left[1], 'PORT must be a whole number from 0 to 65535, not "-1"');
  }
});

test('an error does not contain the secret', (t) => {
  const decoded = decodeConfiguration({ AZURE_STORAGE_CONNECTION_STRING: 'AccountKee=abc' }, { blobs: BLOB_STORE });
  t.true(isLeft(decoded));
  if (isLeft(decoded)) t.false(decoded.left.join().includes('abc'));
});

test('no variable is described twice', (t) => {
  const names = PARTS.flatMap((part) => Object.values(part.variables).map(({ name }) => name));
  t.is(new Set(names).size, names.length);
});
