import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { BSON } from 'mongodb';
import { addCounts } from '../../domain/statistics/histogram.ts';
import { addRenderCounts, NO_COUNTS, type RenderCounts } from '../../domain/statistics/hours.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { renderCollections } from '../../read-models/collections.ts';
import { renderCollectionsIn } from '../../read-models/renders/model.ts';
import type { Stack } from '../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { caller } from '../helpers/renderctl.ts';
import { startTestStack } from '../helpers/test-stack.ts';
import { containerOf, type RecordedBlob, type RecordedRecord, type RecordedScene, readLines } from './recording.ts';
import { ASKED, COMMANDS, POSTED } from './requests.ts';

/** The results of a stack for the recorded log, and its next answers; names replace ids, times and signatures. */
export type Replayed = {
  readonly documents: readonly unknown[];
  readonly answers: readonly unknown[];
  readonly appended: readonly unknown[];
};

const REPLAYED: readonly Topic[] = ['catalogue-events', 'render-events', 'webhook-events'];

const putBlobs = async (env: Stack['env']): Promise<void> => {
  const container = containerOf(env);
  for (const { path, content_type, metadata, bytes } of await readLines<RecordedBlob>('blobs')) {
    const content = Buffer.from(bytes, 'base64');
    const blobHTTPHeaders = { blobContentType: content_type };
    await container.getBlockBlobClient(path).upload(content, content.length, { metadata, blobHTTPHeaders });
  }
};

const idsOf = async (url: string): Promise<(subject: string, version: number) => Promise<number>> => {
  const known = new Map<string, number>();
  return async (subject, version) => {
    const path = `${subject}/versions/${version}`;
    const id = known.get(path) ?? Object(await (await fetch(`${url}/subjects/${path}`)).json()).id;
    known.set(path, id);
    return id;
  };
};

const appendAll = async ({ records }: StackClients, registry_url: string): Promise<void> => {
  const idOf = await idsOf(registry_url);
  for (const { topic, partition, key, headers, subject, version, value } of await readLines<RecordedRecord>('log')) {
    if (!REPLAYED.some((one) => one === topic)) continue;
    const frame = Buffer.alloc(5);
    frame.writeInt32BE(await idOf(subject ?? '', version ?? 0), 1);
    const framed = Buffer.concat([frame, Buffer.from(value ?? '', 'base64')]);
    const appended = await records.log.append({ topic, partition, key: key ?? '', value: framed, headers });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

/** Gives every id, time and signature that differs between runs a name, in order of occurrence. */
const naming = (known: readonly string[]) => {
  const names = new Map<string, string>();
  const named = (kind: string) => (found: string) => {
    if (known.some((one) => one.includes(found))) return found;
    const name = names.get(found) ?? `<${kind} ${names.size + 1}>`;
    names.set(found, name);
    return name;
  };
  return (text: string): string =>
    text
      .replace(/\?s[vprekt]=[^"\s]*/g, '?<signature>')
      .replace(/("next_cursor":"|cursor=)[^"&]+/g, '$1<cursor>')
      .replace(/(?<!\d)1[7-9]\d{11}(?!\d)/g, '0')
      .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/(devstoreaccount1\/)[^/"]+\//g, '$1renders/')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, '<origin>')
      .replace(/(request|composition)-[0-9A-HJKMNP-TV-Z]{26}/g, '$1-<id>')
      .replace(/[0-9A-HJKMNP-TV-Z]{26}/g, named('id'))
      .replace(/hook_[0-9a-f]{32}/g, named('delivery'));
};

const NEVER_THE_SAME = new Set([
  ...['event_id', 'occurred_at', 'correlation_id', 'append_time_ms', 'digest', 'chain', 'chain_before'],
  ...['sha256', 'secret', 'secret_sha256', 'prefix', 'last4', 'key'],
]);

const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // `last_used_at` depends on the time of a background write.
      .filter(([key]) => key !== 'last_used_at')
      .map(([key, one]) => [key, NEVER_THE_SAME.has(key) && one !== null ? '<masked>' : masked(one)]),
  );
};

const recordsFrom = async (
  { records }: StackClients,
  topic: Topic,
  starts: readonly number[],
): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const { partition, end } of await records.log.bounds(topic))
    for await (const { key, value, headers } of records.log.replay(topic, partition, starts[partition] ?? 0, end)) {
      const decoded = await records.decode(value);
      found.push({
        topic,
        of: key?.toString(),
        headers: Object.keys(headers).toSorted(),
        decoded: masked(decoded.tag === 'record' ? decoded.record : decoded),
      });
    }
  return found;
};

const endsOf = async ({ records }: StackClients, topic: Topic): Promise<readonly number[]> =>
  (await records.log.bounds(topic)).map(({ end }) => end);

const sumOf = (counts: object): number => Object.values(counts).reduce<number>((sum, count) => sum + count, 0);

/** Hours and durations depend on the time of the replay, so only the sums are compared. */
const statisticsOf = async ({ store }: StackClients): Promise<readonly unknown[]> => {
  const { statistics } = renderCollectionsIn(store.db, 1);
  const of_scope = Map.groupBy(await statistics.find().toArray(), ({ by_day }) => by_day.replace(/:\w+$/, ''));
  return [...of_scope].toSorted().map(([scope, documents]) => {
    const all = documents
      .flatMap(({ hours = {} }) => Object.values(hours))
      .reduce<RenderCounts>((sum, counts) => addRenderCounts(sum, { ...NO_COUNTS, ...counts }), NO_COUNTS);
    const now = documents.map(({ statuses = {} }) => statuses).reduce(addCounts, {});
    return {
      collection: statistics.collectionName,
      scope,
      ...all,
      waits: sumOf(all.waits),
      durations: sumOf(all.durations),
      now,
    };
  });
};

const documentsOf = async (clients: StackClients): Promise<readonly unknown[]> => {
  const { db } = clients.store;
  const documents: unknown[] = [];
  for (const { name } of (await db.listCollections().toArray()).toSorted((a, b) => a.name.localeCompare(b.name))) {
    if (name === renderCollections(1).statistics) documents.push(...(await statisticsOf(clients)));
    else
      for await (const document of db.collection(name).find().sort({ _id: 1 }))
        documents.push({ collection: name, document: JSON.parse(BSON.EJSON.stringify(document)) });
  }
  return documents;
};

const askAll = async (stack: Stack, scene: RecordedScene): Promise<readonly unknown[]> => {
  const answers: unknown[] = [];
  const ask = async (component: string, method: string, path: string, key: string, body?: string, more = {}) => {
    const url = `${stack.component(component).url}${path}`;
    const headers = { ...(key === '' ? {} : { Authorization: `Bearer ${key}` }), ...more };
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    const kept = ['content-type', 'cache-control', 'allow', 'retry-after', 'vary', 'www-authenticate', 'location'];
    answers.push({
      asked: `${method} ${path}`,
      key: Object.entries(scene.keys).find(([, one]) => one === key)?.[0] ?? null,
      status: answer.status,
      headers: Object.fromEntries(
        kept.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name)]] : [])),
      ),
      body: answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text || 'null') : text,
    });
    return text;
  };
  for (const { path, key = 'ours', pages = false } of ASKED(scene.ids)) {
    let next: string | null = path;
    for (let page = 0; next !== null && page < 10; page += 1) {
      const body: { next_cursor?: string | null; pagination?: { next_cursor?: string | null } } = JSON.parse(
        (await ask('query-api', 'GET', next, scene.keys[key] ?? key)) || '{}',
      );
      const cursor = body.next_cursor ?? body.pagination?.next_cursor ?? null;
      next = pages && cursor !== null ? `${path}&cursor=${encodeURIComponent(cursor)}` : null;
    }
  }
  for (const { body, key = 'ours', headers = {} } of POSTED(scene.ids))
    await ask('command-api', 'POST', '/v1/renders', scene.keys[key] ?? key, body, {
      'Content-Type': 'application/json',
      ...headers,
    });
  return answers;
};

const byText = (one: unknown, other: unknown): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

export const replay = async (): Promise<Replayed> => {
  const [scene] = await readLines<RecordedScene>('scene');
  if (scene === undefined) throw new Error('the recording has no scene');
  const known = [
    JSON.stringify(scene),
    ...(await readLines<RecordedRecord>('log')).map(
      ({ key, value }) => `${key} ${Buffer.from(value ?? '', 'base64').toString('latin1')}`,
    ),
  ];
  const name = naming(known);
  const folder = await mkdtemp(join(tmpdir(), 'replay '));
  const stack = await startTestStack({
    dataDir: folder,
    components: ['projectors', 'command-api', 'query-api'],
    // The recorded POST requests are from fold version 1.
    env: { ...scene.env, RATE_LIMIT_PER_S: '100000', RATE_LIMIT_BURST: '100000', RENDER_FOLD_VERSION: '1' },
  });
  const clients = await openStackClients(stack.env);
  try {
    await putBlobs(stack.env);
    await appendAll(clients, stack.env.SCHEMA_REGISTRY_URL ?? '');
    const status = (await readLines<RecordedRecord>('log')).filter(({ topic }) => topic === 'render-status').length;
    await pollUntil(
      'every status is published again',
      async () => (await endsOf(clients, 'render-status')).reduce((sum, end) => sum + end, 0) >= status,
    );
    const renderctl = caller(stack.env);
    await pollUntil('the catalogue is folded', async () =>
      (await renderctl('webhook', 'show', scene.ids.quiet ?? '')).stdout.includes('disabled'),
    );
    const appended_by = Date.now();
    const partitions = (await clients.records.log.bounds('render-events')).length;
    await pollUntil('the read model reports that it is complete', async () => {
      const marks = clients.store.db.collection(renderCollections(1).caught_up);
      return (await marks.countDocuments({ at: { $gt: appended_by } })) === partitions;
    });
    const published = await recordsFrom(clients, 'render-status', []);
    const documents = await documentsOf(clients);
    const before = await Promise.all(REPLAYED.map((topic) => endsOf(clients, topic)));
    const answers = [...(await askAll(stack, scene))];
    for (const args of COMMANDS(scene.ids)) {
      const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
      answers.push({
        command: args.join(' '),
        exit_code,
        stdout: masked(stdout === '' ? null : JSON.parse(stdout)),
        stderr,
      });
    }
    const appended = await Promise.all(REPLAYED.map((topic, i) => recordsFrom(clients, topic, before[i] ?? [])));
    const told = (values: readonly unknown[]): readonly unknown[] =>
      values.map((value) => JSON.parse(name(JSON.stringify(value))));
    return {
      documents: told([...published, ...documents.map(masked)]),
      answers: told(answers),
      appended: told(appended.flat()).toSorted(byText),
    };
  } finally {
    await clients.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
