import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { parseFrame } from '../../platform/records/frame.ts';
import { SAVED_SCHEMAS } from '../../platform/records/saved-schemas.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { DAMAGED_PICTURE, SHORT, TEMPLATE, writeFilm } from '../e2e/_films.ts';
import { importFilm, openService, posted, untilOver } from '../e2e/_service.ts';
import { caller } from '../helpers/renderctl.ts';
import { bearer, send } from '../integration/api/_client.ts';
import { containerOf, RECORDING, type RecordedBlob, type RecordedRecord, writeLines } from './recording.ts';

/** Excludes videos and fonts, whose bytes no recorded answer needs. */
const LARGEST_BLOB = 32 * 1024;

type Service = Awaited<ReturnType<typeof openService>>;
type Ids = Readonly<Record<string, string>>;

/** Runs renderctl, which must succeed. */
const renderctlOf = ({ stack }: Service) => {
  const renderctl = caller(stack.env);
  const made = async (...args: readonly string[]): Promise<Record<string, string>> => {
    const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
    if (exit_code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout === '' ? {} : JSON.parse(stdout);
  };
  const id = async (...args: readonly string[]): Promise<string> => (await made(...args)).id ?? '';
  return { renderctl, made, id };
};

const recordPeople = async (service: Service) => {
  const { account_id, team_id } = service.seeded;
  const { made, id } = renderctlOf(service);
  const other = await id('account', 'create', '--name', 'Other', '--id', 'acc_01JD0000000000000000000001');
  await made('account', 'rename', other, 'Other & Co');
  await made('account', 'grant', other, '5');
  await made('account', 'unlimited', account_id, 'on');
  const theirs = await id('team', 'create', '--account', other, '--name', 'Theirs');
  const second = await id('team', 'create', '--account', account_id, '--name', 'Second');
  await made('team', 'rename', second, 'Second team');
  const ada = await id('user', 'create', '--email', 'ada@example.org');
  const bob = await id('user', 'create');
  await made('user', 'email', ada, 'ada.lovelace@example.org');
  await made('member', 'add', team_id, ada);
  await made('member', 'add', second, bob, '--role', 'admin');
  await made('member', 'role', team_id, ada, 'admin');
  await made('member', 'add', second, ada);
  await made('member', 'remove', second, ada);
  return { other, theirs, second, ada, bob };
};

const recordKeys = async (service: Service, { other, theirs, second }: Awaited<ReturnType<typeof recordPeople>>) => {
  const { account_id, team_id } = service.seeded;
  const { made } = renderctlOf(service);
  const poor = await made('key', 'create', '--account', other, '--team', theirs, '--name', 'Poor');
  const revoked = await made('key', 'create', '--account', account_id, '--team', team_id);
  const rotated = await made('key', 'create', '--account', account_id, '--team', team_id, '--team', second);
  const next = await made('key', 'rotate', rotated.id ?? '', '--overlap', '0');
  await made('key', 'revoke', revoked.id ?? '');
  return { poor, revoked, next };
};

const recordProjects = async (
  service: Service,
  { theirs, second, bob }: Awaited<ReturnType<typeof recordPeople>>,
  folder: string,
) => {
  const { team_id, user_id } = service.seeded;
  const { made, id } = renderctlOf(service);
  const empty = await id('project', 'create', '--team', second, '--name', 'Empty', '--user', bob);
  await writeFilm(join(folder, 'film'), 'film', SHORT);
  const film = await id('project', 'import', join(folder, 'film'), '--team', team_id, '--user', user_id);
  await writeFilm(join(folder, 'film'), 'film 2', { ...SHORT, duration: 2 });
  await made('project', 'import', join(folder, 'film'), '--project', film);
  await made('project', 'rename', film, 'A film');
  const poor_film = await id('project', 'import', join(folder, 'film'), '--team', theirs);
  return { empty, film, poor_film };
};

const recordEndpoints = async (service: Service) => {
  const { team_id } = service.seeded;
  const { made, id } = renderctlOf(service);
  const quiet = await id('webhook', 'create', team_id, 'https://127.0.0.1:1/hooks', '--event', 'render.failed');
  await made('webhook', 'rotate-secret', quiet);
  await made('webhook', 'activate-secret', quiet);
  await made('webhook', 'events', quiet, '--event', 'render.complete');
  await made('webhook', 'disable', quiet);
  await made('webhook', 'enable', quiet);
  await made('webhook', 'disable', quiet);
  const gone = await id('webhook', 'create', team_id, 'https://127.0.0.1:1/gone', '--all-events');
  await made('webhook', 'delete', gone);
  return { quiet, gone };
};

/** Renders that are complete, without a template, failed, repeated, and refused for want of credits. */
const recordRenders = async (
  service: Service,
  { film, poor_film }: Awaited<ReturnType<typeof recordProjects>>,
  poor_key: string,
) => {
  const { stack, seeded } = service;
  const complete = await untilOver(service, (await posted(service, film, 'Hello')).id);
  const post = (key: string, body: unknown, headers: Record<string, string> = {}) =>
    send(`${stack.base_url}/v1/renders`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...bearer(key), 'Content-Type': 'application/json', ...headers },
    });
  const rendered = async (body: unknown, headers?: Record<string, string>): Promise<string> => {
    const answer = await post(seeded.api_key, body, headers);
    if (answer.status !== 201) throw new Error(answer.text);
    const { id: render_id } = Object(answer.body);
    await untilOver(service, render_id);
    return render_id;
  };
  const plain = await rendered({ name: 'As it stands ✓', project_id: film });
  const damaged = await importFilm(service, 'damaged', DAMAGED_PICTURE, Buffer.from('no picture'));
  const failed = await rendered({ name: 'Damaged', project_id: damaged });
  const repeated = { name: 'Repeated', project_id: film, template_id: TEMPLATE, values: { title: 'Twice' } };
  const idempotent = await rendered(repeated, { 'Idempotency-Key': 'once' });
  await post(seeded.api_key, repeated, { 'Idempotency-Key': 'once' });
  for (const title of ['One', 'Two']) await post(poor_key, { name: title, project_id: poor_film });
  return { complete: complete.id, plain, failed, idempotent, damaged };
};

/** Repeats a delivery of the complete render, and waits until none is pending. @returns the id of that delivery */
const recordDeliveries = async (
  service: Service,
  { complete, plain, failed, idempotent }: Awaited<ReturnType<typeof recordRenders>>,
): Promise<string> => {
  const { renderctl, made } = renderctlOf(service);
  const redelivered = await pollUntil('the deliveries are planned', async () => {
    const { stdout } = await renderctl('webhook', 'deliveries', complete, '--json');
    const { data }: { data: readonly { id: string; state: string }[] } = JSON.parse(stdout);
    const succeeded = data.filter(({ state }) => state === 'succeeded');
    return succeeded.length >= 7 && data.every(({ state }) => state !== 'pending') ? (succeeded[0]?.id ?? null) : null;
  });
  await made('webhook', 'deliver-again', redelivered, '--watch');
  await pollUntil('no delivery is pending', async () => {
    const renders = [plain, failed, idempotent];
    const all = await Promise.all(renders.map((one) => renderctl('webhook', 'deliveries', one, '--json')));
    return all.every(({ stdout }) => !stdout.includes('"pending"') && stdout.length > 500);
  });
  return redelivered;
};

const readBlobs = async ({ stack }: Service): Promise<readonly RecordedBlob[]> => {
  const container = containerOf(stack.env);
  const blobs: RecordedBlob[] = [];
  for await (const { name, properties } of container.listBlobsFlat()) {
    if (name.includes('/segments/') || ((properties.contentLength ?? 0) > LARGEST_BLOB && name !== SAVED_SCHEMAS))
      continue;
    const client = container.getBlobClient(name);
    const { metadata = {} } = await client.getProperties();
    const bytes = (await client.downloadToBuffer()).toString('base64');
    blobs.push({ path: name, content_type: properties.contentType ?? '', metadata, bytes });
  }
  return blobs;
};

const readLog = async ({ clients }: Service, blobs: readonly RecordedBlob[]): Promise<readonly RecordedRecord[]> => {
  const schemas: readonly { id: number; subject: string; version: number }[] = JSON.parse(
    Buffer.from(blobs.find(({ path }) => path === SAVED_SCHEMAS)?.bytes ?? '', 'base64').toString(),
  );
  const log: RecordedRecord[] = [];
  for (const { name: topic } of TOPICS) {
    if (['worker-heartbeats', 'render-commands', 'deployment'].includes(topic)) continue;
    for (const { partition, start, end } of await clients.records.log.bounds(topic))
      for await (const { key, value, headers } of clients.records.log.replay(topic, partition, start, end)) {
        const frame = parseFrame(value);
        const schema = schemas.find(({ id: one }) => one === frame?.schema_id);
        log.push({
          topic,
          partition,
          key: key?.toString() ?? null,
          headers,
          subject: schema?.subject ?? null,
          version: schema?.version ?? null,
          value: frame?.payload.toString('base64') ?? null,
        });
      }
  }
  return log;
};

const sceneOf = ({ stack, seeded }: Service, keys: Readonly<Record<string, string | undefined>>, ids: Ids) => {
  const secrets = ['CURSOR_SECRET', 'IDEMPOTENCY_SECRET', 'WEBHOOK_SECRETS_KEY', 'WEBHOOK_PRIVATE_KEYS'];
  const { account_id, team_id, user_id, project_id } = seeded;
  return {
    env: {
      ...Object.fromEntries(secrets.map((name) => [name, stack.env[name]])),
      WEBHOOK_PUBLIC_KEY: stack.env.WEBHOOK_PUBLIC_KEY,
    },
    keys: { ours: seeded.api_key, ...keys },
    ids: { account_id, team_id, user_id, project_id, ...ids, template: TEMPLATE, demo_template: seeded.template_id },
  };
};

/** Uses every kind of command and render on a whole service, and stores its log, small blobs, keys and secrets. */
export const recordScenario = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'recording '));
  await mkdir(RECORDING, { recursive: true });
  const service = await openService();
  try {
    const people = await recordPeople(service);
    const { poor, revoked, next } = await recordKeys(service, people);
    const projects = await recordProjects(service, people, folder);
    const endpoints = await recordEndpoints(service);
    const renders = await recordRenders(service, projects, poor.key ?? '');
    const delivery = await recordDeliveries(service, renders);
    const blobs = await readBlobs(service);
    await writeLines('log', await readLog(service, blobs));
    await writeLines(
      'blobs',
      blobs.filter(({ path }) => path !== SAVED_SCHEMAS),
    );
    const keys = { poor: poor.key, revoked: revoked.key, next: next.key };
    await writeLines('scene', [sceneOf(service, keys, { ...people, ...projects, ...endpoints, ...renders, delivery })]);
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
};
