import { createRequire } from 'node:module';
import test from 'ava';
import '../../../platform/http-server/server.ts';
import '../../../platform/metrics/metrics.ts';
import '../../../platform/records/avro-record-log.ts';

const LAZY = [
  'restify/lib/plugins/',
  'confluent-schema-registry/dist/JsonSchema.js',
  'confluent-schema-registry/dist/ProtoSchema.js',
  '@opentelemetry/api/',
];

test('a component loads no code of packages that it does not use', (t) => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  for (const used of ['restify/lib/index.js', 'confluent-schema-registry/dist/index.js', 'prom-client/index.js'])
    t.true(
      loaded.some((file) => file.endsWith(used)),
      used,
    );
  t.deepEqual(
    loaded.filter((file) => LAZY.some((part) => file.includes(part))),
    [],
  );
});
