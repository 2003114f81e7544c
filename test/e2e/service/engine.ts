import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import { segmentsPath } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { bearer, send } from '../../integration/api/_client.ts';
import { LONG, SHORT } from '../_films.ts';
import {
  importFilm,
  importVersion,
  OVER_WITHIN_MS,
  post,
  posted,
  renderIn,
  type Service,
  traced,
  transitionsOf,
  untilOver,
} from '../_service.ts';
import { assertLife, WHOLE_LIFE } from '../_whole-life.ts';
import { test } from './_service-in-common.ts';

const framesOfWorker = async ({ stack }: Service): Promise<{ encoded: number; cached: number }> => {
  const figures = await (await fetch(`${stack.component('worker').health_url}/metrics`)).text();
  const of = (source: string): number =>
    Number(new RegExp(`^worker_frames_total\\{[^}]*source="${source}"[^}]*\\} (\\d+)`, 'm').exec(figures)?.[1] ?? 0);
  return { encoded: of('encoded'), cached: of('cached') };
};

const segmentsStored = async ({ stack, seeded }: Service): Promise<number> => {
  const settings = {
    connection_string: stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '',
    container: stack.env.BLOB_CONTAINER ?? 'renders',
  };
  const signal = AbortSignal.timeout(10_000);
  return (await openEvictableBlobs(settings).list(segmentsPath(seeded.account_id), null, signal)).found.length;
};

test.serial('a render whose worker is killed late continues from its stored parts', async (t) => {
  t.timeout(400_000);
  const { service } = t.context;
  const worker = service.stack.component('worker');
  const long = await importFilm(service, 'long', LONG);
  const frames = LONG.fps * LONG.duration;
  const before = await segmentsStored(service);
  /** Number of blobs once six of the render's ten parts are stored, with its sound and its poster. */
  const enough = before + 6 + 2;
  const { id } = await posted(service, long);
  await pollUntil(
    'more than half of the parts are stored',
    async () => (await segmentsStored(service)) >= enough,
    OVER_WITHIN_MS,
  );
  const pid = worker.pid();
  worker.kill('SIGKILL');
  await pollUntil('the worker was restarted', async () => worker.pid() !== null && worker.pid() !== pid, 60_000);
  await worker.untilReady();

  const over = await untilOver(service, id);
  t.is(over.status, 'complete', JSON.stringify((await transitionsOf(service, id)).at(-1)?.failure));
  await assertLife(t, service, id, WHOLE_LIFE);
  const attempts = (await traced(service, id)).trace.render?.attempts.map(({ lost }) => lost);
  t.deepEqual(attempts, ['crashed', null]);
  const second = await framesOfWorker(service);
  t.is(second.encoded + second.cached, frames);
  t.true(second.cached >= frames / 2, `${second.cached} of ${frames} were cached`);

  await untilOver(service, (await posted(service, long)).id);
  const third = await framesOfWorker(service);
  t.deepEqual(third, { encoded: second.encoded, cached: second.cached + frames }, 'a repeat encodes nothing');
});

test.serial('a thumbnail shows the newest rendered version of the project, without values of renders', async (t) => {
  t.timeout(400_000);
  const { service } = t.context;
  const { stack, seeded } = service;
  const withPreview = { ...SHORT, preview: { height: 90, duration: 1, fps: 5 } };
  const project_id = await importFilm(service, 'shown', withPreview);
  const thumbnailOf = async (): Promise<string | null> => {
    const { body } = await send(`${stack.base_url}/v1/projects/${project_id}`, { headers: bearer(seeded.api_key) });
    return Object(body).thumbnail_url;
  };
  /** The colour of the band at the top: red, green or blue. */
  const bandOf = async (url: string): Promise<string> => {
    const answer = await fetch(url);
    t.is(answer.headers.get('content-type'), 'image/jpeg');
    const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    t.deepEqual([info.width, info.height], [SHORT.width, SHORT.height]);
    const at = (20 * info.width + 200) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    return red > 200 ? 'red' : green > 200 ? 'green' : blue > 200 ? 'blue' : `${red} ${green} ${blue}`;
  };
  const rendered = async (values: Readonly<Record<string, string>>) => {
    const answer = await post(service, project_id, values);
    t.is(answer.status, 201, JSON.stringify(answer.body));
    const render = await untilOver(service, renderIn(answer).id);
    t.is(render.status, 'complete', JSON.stringify((await transitionsOf(service, render.id)).at(-1)?.failure));
    return render;
  };
  const shown = (what: string, not: string | null = null) =>
    pollUntil(what, async () => {
      const url = await thumbnailOf();
      return url === null || new URL(url).pathname === not ? null : url;
    });

  t.is(await thumbnailOf(), null, 'nothing was rendered');
  const { output = {} } = await rendered({ band: '#FF0000' });
  const first = await shown('there is a thumbnail');
  t.is(await bandOf(first), 'green', 'although that render was red');
  const { pathname } = new URL(first);

  t.deepEqual(Object.keys(output).toSorted(), ['master', 'preview', 'small']);
  const preview = await fetch(output.preview ?? '');
  t.is(preview.headers.get('content-type'), 'image/webp');
  t.regex(preview.headers.get('content-disposition') ?? '', /Of a test \(preview\)\.webp/);
  const film = join(service.folder, 'preview.webp');
  await writeFile(film, Buffer.from(await preview.arrayBuffer()));
  const { pages = 0, ...animated } = await sharp(film, { animated: true }).metadata();
  t.like(animated, { format: 'webp', width: 160, pageHeight: 90 });
  t.true(pages > 1, 'the picture moves');

  const layers = SHORT.layers.map((layer) =>
    Object(layer).id === 'band' ? { ...Object(layer), color: '#0000FF' } : layer,
  );
  await importVersion(service, project_id, 'shown later', { ...withPreview, layers });
  t.is(
    new URL((await thumbnailOf()) ?? '').pathname,
    pathname,
    'the old thumbnail stays until the new version is rendered',
  );
  await rendered({ band: '#FF0000' });
  const second = await shown('there is another thumbnail', pathname);
  t.is(await bandOf(second), 'blue');

  await rendered({ band: '#00FF00' });
  t.is(new URL((await thumbnailOf()) ?? '').pathname, new URL(second).pathname, 'one still for each version');
});
