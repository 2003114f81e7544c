import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import { TOPICS } from '../../../platform/event-log/topics.ts';
import { renderCollections } from '../../../read-models/collections.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import { openRenderBlobs } from '../../../read-models/renders/render-blobs.ts';
import { renderSweep } from '../../../retention/renders/render-sweep.ts';
import { RENDERS_PATH } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { framesOf, pixelAt } from '../../integration/engine/_measuring.ts';
import { type Look, readAsOf } from '../_as-of.ts';
import { DAMAGED_PICTURE } from '../_films.ts';
import {
  get,
  importFilm,
  isOver,
  OVER_WITHIN_MS,
  post,
  posted,
  renderIn,
  transitionsOf,
  untilFold,
  untilOver,
} from '../_service.ts';
import { assertLife, FAILED_EARLY, WHOLE_LIFE } from '../_whole-life.ts';
import { test } from './_service-in-common.ts';

const TITLE = 'Grüße an Jörg';

const Probe = t.type({ streams: t.array(t.record(t.string, t.unknown)) });

const streamsOf = async (file: string): Promise<readonly Record<string, unknown>[]> => {
  const { stdout } = await execa('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', file]);
  const probe = Probe.decode(JSON.parse(stdout));
  if (E.isLeft(probe)) throw new Error(stdout);
  return probe.right.streams;
};

test.serial('a render goes from its POST to videos that play', async (t) => {
  t.timeout(450_000);
  const { service, film } = t.context;
  const answer = await post(service, film, { title: TITLE, band: '#E30613', logo: 'logo-ember' });
  t.is(answer.status, 201, JSON.stringify(answer.body));
  const created = renderIn(answer);
  t.is(answer.headers.get('location'), `/v1/renders/${created.id}`);
  t.like(created, { name: 'Of a test', status: 'initializing', type: 'local', updated_at: null });
  t.deepEqual(created.project, { id: film, team: service.seeded.team_id });
  t.is(created.created_by, service.seeded.user_id);

  const seen = new Set<string>();
  const looks: Look[] = [];
  const complete = await pollUntil(
    'the render is complete',
    async () => {
      const asked_at = Date.now();
      const again = await get(service, created.id);
      t.is(again.status, 200);
      t.is(again.headers.get('link')?.includes(`/v1/renders/${created.id}/transitions`), true);
      const polled = renderIn(again);
      seen.add(polled.status);
      looks.push({ asked_at, answered_at: Date.now(), render: polled });
      t.is(polled.output !== undefined, polled.status === 'complete');
      return isOver(polled) && polled;
    },
    OVER_WITHIN_MS,
  );
  t.deepEqual(
    [...seen],
    WHOLE_LIFE.filter((status) => seen.has(status)),
    'the status never moves back',
  );
  t.is(complete.status, 'complete');
  t.is(complete.created_at, created.created_at);
  t.is((await transitionsOf(service, created.id)).at(-1)?.at, complete.updated_at ?? 0);
  t.deepEqual(Object.keys(complete.output ?? {}).toSorted(), ['master', 'small']);

  for (const [variant, width, height] of [
    ['master', 320, 180],
    ['small', 160, 90],
  ] as const) {
    const download = await fetch(complete.output?.[variant] ?? '');
    t.is(download.status, 200);
    t.is(download.headers.get('content-type'), 'video/mp4');
    t.regex(download.headers.get('content-disposition') ?? '', /filename.*\.mp4/);
    const bytes = Buffer.from(await download.arrayBuffer());
    t.true(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'faststart');
    const file = join(service.folder, `${variant}.mp4`);
    await writeFile(file, bytes);
    const [video, audio] = await streamsOf(file);
    t.like(video, { codec_name: 'h264', pix_fmt: 'yuv420p', width, height, nb_frames: '60', r_frame_rate: '15/1' });
    t.like(video, { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709', color_range: 'tv' });
    t.like(audio, { codec_name: 'aac', sample_rate: '48000', channels: 2 });

    const frame = (await framesOf(file, width, height))[30];
    for (const [channel, wanted] of [0xe3, 0x06, 0x13].entries())
      t.true(Math.abs((pixelAt(frame, width, width / 2, height / 6)[channel] ?? 0) - wanted) <= 3, `${channel}`);
  }
  const unsigned = new URL(complete.output?.master ?? '');
  unsigned.search = '';
  t.not((await fetch(unsigned)).status, 200, 'no blob is public');
  await assertLife(t, service, created.id, WHOLE_LIFE);
  const { wrong, counts } = await readAsOf(service, looks, 50);
  t.deepEqual(wrong, [], 'as of random moments');
  t.true(counts.seen > counts.passed, JSON.stringify(counts));
});

test.serial('a render that is impossible fails during preparation with a reason', async (t) => {
  t.timeout(450_000);
  const { service } = t.context;
  const damaged = await importFilm(service, 'damaged', DAMAGED_PICTURE, Buffer.from('no picture at all'));
  const { id } = await posted(service, damaged);
  const over = await untilOver(service, id);
  t.is(over.status, 'failed');
  t.is(over.output, undefined);
  const last = (await transitionsOf(service, id)).at(-1);
  t.like(last?.failure, { stage: 'preparation', field: 'assets.logo-fjell' });
  t.regex(last?.failure?.message ?? '', /logo-fjell/);
  t.is(last?.attempt, null);
  await assertLife(t, service, id, FAILED_EARLY);
});

test.serial('metrics count every render once, with its outcome, times per status and wait', async (t) => {
  t.timeout(180_000);
  const { service } = t.context;
  const { projectors = '', dispatcher = '' } = service.stack.health_urls;
  const renders = service.clients.store.db.collection<RenderDocument>(renderCollections(1).renders);
  const complete = await renders.countDocuments({ status: 'complete' });
  const failed = await renders.countDocuments({ status: 'failed' });
  t.true(complete > 0 && failed > 0);
  const told = await pollUntil('all ended renders are counted', async () => {
    const text = await scraped(projectors);
    return sumOf(text, 'renders_total') === complete + failed && text;
  });
  t.is(sumOf(told, 'renders_total', { outcome: 'complete' }), complete);
  t.is(sumOf(told, 'render_failures_total'), failed);
  t.is(sumOf(told, 'render_status_duration_seconds_count', { status: 'finalizing' }), complete);
  const assigned = await renders.countDocuments({ 'render.attempts.0': { $exists: true } });
  const waits = await pollUntil('all assignments of the worker are counted', async () => {
    const text = await scraped(dispatcher);
    return sumOf(text, 'render_wait_seconds_count') === assigned && text;
  });
  t.true(sumOf(waits, 'render_wait_seconds_count', { account_class: 'idle' }) > 0);
});

test.serial('the log has no names of people', async (t) => {
  t.timeout(450_000);
  const { service, film } = t.context;
  t.is((await post(service, film, { font: 'Jane Doe Sans' })).status, 400);
  const { log } = service.clients.records;
  const secrets = [TITLE, 'Jane Doe', 'demo@example.org', service.seeded.api_key];
  for (const { name } of TOPICS)
    for (const { partition, start, end } of await log.bounds(name))
      for await (const { offset, value } of log.replay(name, partition, start, end))
        for (const secret of secrets) t.false(value?.includes(secret), `${name}/${partition}/${offset}: ${secret}`);
});

test.serial('retention sweeps at start, and a year later only references of ended renders remain', async (t) => {
  t.timeout(240_000);
  const { stack, clients } = t.context.service;
  await pollUntil(
    'each sweep has ended once',
    async () => {
      const figures = await scraped(stack.health_urls.retention ?? '');
      const ended = (sweep: string) => sumOf(figures, 'retention_sweep_ended_timestamp_seconds', { sweep });
      return ['segments', 'renders', 'users'].every((sweep) => ended(sweep) > 0);
    },
    90_000,
  );

  const { AZURE_STORAGE_CONNECTION_STRING: connection_string = '', BLOB_CONTAINER: container = 'renders' } = stack.env;
  const blobs = openEvictableBlobs({ connection_string, container });
  const signal = AbortSignal.timeout(180_000);
  const paths = async () => (await blobs.list(RENDERS_PATH, null, signal)).found.map(({ path }) => path);
  const folded = openRenderBlobs(clients.store.db);
  const ids = [...new Set((await paths()).map((path) => path.split('/')[1] ?? ''))];
  const { renders } = await folded(ids);
  const kept = ids.flatMap((id) => {
    const render = renders.get(id);
    // An erased render has no request and no outputs; only the list of parts that it used remains.
    if (render === undefined || render.erased_at !== null) return [];
    return [...(render.request === null ? [] : [render.request]), ...render.outputs];
  });
  t.true(kept.some((path) => path.endsWith('/poster.jpg')) && kept.length > ids.length);
  const year_ms = 365 * 86_400_000;
  const { removed } = await renderSweep({
    blobs,
    readRenderBlobs: async (of) => ({ ...(await folded(of)), foldedUntil: () => Date.now() + year_ms }),
    ages: { leftovers_ms: 86_400_000, sources_ms: 86_400_000, used_parts_ms: 86_400_000 },
    retentions: async () => new Map(),
    outputLimits: async () => new Map(),
    time: { now: async () => Date.now() + year_ms },
    eraseAgain: async () => undefined,
    warn: (details, message) => t.fail(`${message}: ${JSON.stringify(details)}`),
  }).page(null, signal);
  t.true((removed.compositions?.removed ?? 0) > 0 && (removed.media?.removed ?? 0) > 0);
  t.deepEqual((await paths()).toSorted(), kept.toSorted());
});

test.serial('after all tests, the read model equals a fold of the whole log', async (t) => {
  t.timeout(180_000);
  await t.notThrowsAsync(untilFold(t.context.service));
});
