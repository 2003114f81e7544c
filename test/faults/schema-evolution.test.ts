import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { deploySchemas } from '../../deploy/schemas.ts';
import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration, type Values } from '../../platform/configuration/configuration.ts';
import { BLOB_STORE, EVENT_LOG, SCHEMA_REGISTRY } from '../../platform/configuration/parts.ts';
import { deployTopics } from '../../platform/event-log/deploy-topics.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { createReadiness } from '../../platform/process/readiness.ts';
import { openRecordLog } from '../../platform/records/avro-record-log.ts';
import { registerSchemas } from '../../platform/records/register.ts';
import { restoreSchemas } from '../../platform/records/restore-schemas.ts';
import { SAVED_SCHEMAS, type SavedSchema } from '../../platform/records/saved-schemas.ts';
import { type AvroField, type AvroRecord, type AvroType, nullable } from '../../schemas/avro.ts';
import { storedSchemaVersions } from '../../schemas/avro-history.ts';
import { avroOf, RECORDS } from '../../schemas/records.ts';
import type { Stack } from '../../stack/launcher.ts';
import { ROOT } from '../../stack/servers/tools.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { SAMPLES } from '../helpers/record-samples.ts';
import { caller } from '../helpers/renderctl.ts';
import { startTestStack } from '../helpers/test-stack.ts';

// The deploy step on real servers without components, as an operator runs it.
const PARTS = { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, blobs: BLOB_STORE };
type Settings = { readonly [K in keyof typeof PARTS]: Values<(typeof PARTS)[K]> };
type World = { readonly folder: string; readonly stack: Stack; readonly settings: Settings };

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'schemas '));
  const stack = await startTestStack({
    own_servers: ['kafka', 'registry', 'blob'],
    dataDir: join(folder, 'data'),
    components: [],
  });
  const settings = decodeConfiguration(stack.env, PARTS);
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  t.context = { folder, stack, settings: settings.right };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const deploy = ({ stack }: World, env: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, [join(ROOT, 'deploy', 'main.ts')], {
    env: { ...stack.env, ...env },
    stdin: 'ignore',
    reject: false,
    timeout: 120_000,
  });

const savedSchemas = async ({ folder, settings }: World): Promise<readonly SavedSchema[]> => {
  const file = join(folder, 'saved.json');
  await openBlobStore(settings.blobs).download(SAVED_SCHEMAS, file);
  return JSON.parse(await readFile(file, 'utf8'));
};

const history = RECORDS.flatMap(({ full_name }) =>
  storedSchemaVersions(full_name).map(({ version }) => [full_name, version]),
);

test.serial('the deploy step registers all schema versions, and a repeat changes nothing', async (t) => {
  t.timeout(180_000);
  const first = await deploy(t.context);
  t.is(first.exitCode, 0, first.stderr);
  t.regex(first.stdout, /topics: created render-events, render-status, catalogue-events/);
  t.regex(first.stdout, new RegExp(`schemas: ${history.length} registered under FULL_TRANSITIVE`));
  const saved = await savedSchemas(t.context);

  const second = await deploy(t.context);
  t.is(second.exitCode, 0, second.stderr);
  t.regex(second.stdout, /topics: all exist/);
  t.deepEqual(await savedSchemas(t.context), saved);

  const { registry, blobs } = t.context.settings;
  const { registered } = await deploySchemas(registry, openBlobStore(blobs));
  t.deepEqual(registered, saved);
  t.deepEqual(
    registered.map(({ subject, version }) => [subject, version]),
    history,
  );
  t.is(new Set(registered.map(({ id }) => id)).size, registered.length, 'one id for each');
});

const RenderRequested = avroOf('RenderRequested');
const full_name = 'rendering.events.RenderRequested';

const withFields = (
  fields: (field: AvroField) => readonly AvroField[],
  more: readonly AvroField[] = [],
): AvroRecord => ({
  ...RenderRequested,
  fields: [...RenderRequested.fields.flatMap(fields), ...more],
});

const register = ({ settings }: World, avro: AvroRecord) => registerSchemas(settings.registry, [{ full_name, avro }]);

for (const [change, avro, reason] of [
  ['a required field dropped', withFields((field) => (field.name === 'render_id' ? [] : [field])), /render_id/],
  [
    'a number that becomes a string',
    withFields((field) => [field.name === 'fold_version' ? { ...field, type: 'string', default: '' } : field]),
    /STRING not compatible with writer type: LONG/,
  ],
  ['a new field without a default', withFields((field) => [field], [{ name: 'priority', type: 'long' }]), /priority/],
] as const)
  test.serial(`${change} is refused, with the registry's reason`, async (t) => {
    const fault = await t.throwsAsync(register(t.context, avro), {
      name: 'RegistryFault',
      message: /^rendering\.events\.RenderRequested: /,
    });
    t.regex(fault.message, reason);
  });

test.serial('a nullable field can be added and dropped, but never return as another type', async (t) => {
  t.timeout(180_000);
  const nullableField = (name: string, type: AvroType): AvroField => ({ name, type: nullable(type), default: null });
  const withMore = (...more: readonly AvroField[]) => withFields((field) => [field], more);
  const before = await register(t.context, RenderRequested);
  const added = await register(t.context, withMore(nullableField('priority', 'long')));
  t.not(added.get(full_name), before.get(full_name));
  t.deepEqual(await register(t.context, RenderRequested), before, 'the old schema keeps its id');

  const note = nullableField('note', 'string');
  await register(t.context, withMore(note));
  // The latest version has no priority; the version before it has one.
  const back = register(t.context, withMore(note, nullableField('priority', 'string')));
  await t.throwsAsync(back, { name: 'RegistryFault', message: /reader union lacking writer type: LONG/ });
  t.is((await deploy(t.context)).exitCode, 0, 'an older deploy step still passes');
});

test.serial('the deploy step names topics with other settings and leaves them unchanged', async (t) => {
  t.timeout(180_000);
  const otherwise = { render_partitions: 4, new_log_partitions: 64, replication_factor: 1, min_insync_replicas: 2 };
  const { created, differences } = await deployTopics(
    t.context.settings.event_log,
    otherwise,
    createLogger('test', 'silent'),
  );
  t.deepEqual(created, []);
  t.true(differences.includes('worker-heartbeats: min.insync.replicas is 1, must be 2'));
  t.is(differences.length, TOPICS.length);

  const refused = await deploy(t.context, { RENDER_PARTITIONS: '8' });
  t.is(refused.exitCode, 1);
  t.regex(refused.stdout, /RENDER_PARTITIONS is 8, but this log has 4 partitions/);
  t.is(
    (await deploy(t.context, { RENDER_PARTITIONS: '4', NEW_LOG_PARTITIONS: '64' })).exitCode,
    0,
    'no setting was changed',
  );
});

const NOBODY = 'http://127.0.0.1:9/apis/ccompat/v7';

const openLog = (t: ExecutionContext<World>, env: Readonly<Record<string, string>>, url: string) => {
  const decoded = decodeConfiguration({ ...t.context.stack.env, ...env }, { event_log: EVENT_LOG });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const logger = createLogger('test', 'silent');
  const log = openEventLog({
    ...{ settings: decoded.right.event_log, client_id: 'test', logger },
    on_crash: (error) => t.fail(String(error)),
  });
  t.teardown(() => log.close());
  const readiness = createReadiness();
  const settings = { ...t.context.settings.registry, url };
  return { readiness, open: () => openRecordLog({ settings, log, logger, readiness, appends: ['RenderRequested'] }) };
};

const [SAMPLE] = SAMPLES;

test.serial('a process that starts without the registry appends and decodes with deployed schemas', async (t) => {
  const { readiness, open } = openLog(t, {}, NOBODY);
  const records = await open();
  if (SAMPLE === undefined) return t.fail('there is no sample');
  const appended = await records.append('render-events', 'rend_1', SAMPLE);
  if (E.isLeft(appended)) return t.fail(appended.left.message);
  const [record] = await records.log.read([{ topic: 'render-events', ...appended.right }]);
  t.deepEqual(await records.decode(record?.value ?? null), { tag: 'record', record: SAMPLE });
  t.deepEqual(await readiness.problems(), {});
});

test.serial('a process without registered schemas starts unready and refuses appends at once', async (t) => {
  const { readiness, open } = openLog(t, { KAFKA_TOPIC_PREFIX: 'never.deployed.' }, NOBODY);
  const records = await open();
  if (SAMPLE === undefined) return t.fail('there is no sample');
  t.like(await records.append('render-events', 'rend_1', SAMPLE), { left: { tag: 'not_appended' } });
  t.regex((await readiness.problems())['schema registry'] ?? '', /does not answer/);
});

test.serial('a registry that lost everything gets its schemas back with the same ids', async (t) => {
  t.timeout(180_000);
  const { stack, folder, settings } = t.context;
  const before = await savedSchemas(t.context);
  const data = join(folder, 'data', 'registry');
  const empty = async (): Promise<void> => {
    for (const file of await readdir(data)) await rm(join(data, file), { recursive: true, force: true });
    stack.server('registry').kill('SIGKILL');
    await pollUntil('the registry runs again', async () => stack.server('registry').restarts() > 0);
    await stack.server('registry').untilReady();
  };
  await empty();
  const call = await caller(stack.env)('registry', 'restore');
  t.is(call.exit_code, 0, call.stderr);
  t.regex(call.stdout, /schemas were restored with their ids from the topic deployment; 0 already existed/);
  const again = await deploy(t.context);
  t.is(again.exitCode, 0, again.stderr);
  t.deepEqual(await savedSchemas(t.context), before);

  // Ids that were used meanwhile cannot be assigned again.
  const id = 10 + Math.max(...before.map((one) => one.id));
  const other = { type: 'record', name: 'Other', namespace: 'x', fields: [] } as const;
  const lost = { id, subject: 'x.Lost', version: 1, schema: JSON.stringify({ ...other, name: 'Lost' }) };
  t.like(await restoreSchemas(settings.registry, [lost]), { restored: [{ id }], present: 0 });
  const taken = { ...lost, subject: 'x.Other', schema: JSON.stringify(other) };
  await t.throwsAsync(restoreSchemas(settings.registry, [taken]), { message: /another schema under the id/ });
  const passed = restoreSchemas(settings.registry, [{ ...taken, id: id - 1 }]);
  await t.throwsAsync(passed, { message: new RegExp(`cannot give ${id - 1} again`) });
});
