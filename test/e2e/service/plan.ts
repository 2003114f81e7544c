import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { provideAssetFiles } from '../../../cli/plan/kept-assets.ts';
import type { PlanAnswer } from '../../../cli/plan/plan-answer.ts';
import { seedDemo } from '../../../demo/seed.ts';
import type { FinalAsset } from '../../../domain/composition/final-asset.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { type Call, caller } from '../../helpers/renderctl.ts';
import { blobsOf } from '../../integration/render-workers/_renders.ts';
import { SHORT, TEMPLATE, writeFilm } from '../_films.ts';
import { test } from './_service-in-common.ts';

let folder: string;
let stack: Stack;
let project_id: string;
let renderctl: (...args: readonly string[]) => Promise<Call>;

test.before(async (t) => {
  t.timeout(240_000);
  ({ stack } = t.context.service);
  folder = join(t.context.service.folder, 'plans');
  const project = join(folder, 'film');
  const [band, ...above] = SHORT.layers;
  // No two frames of its first second are equal.
  const layers = [{ ...Object(band), fade_in: 1 }, ...above];
  await writeFilm(project, 'Short film', { ...SHORT, layers });
  const seeded = await seedDemo({ env: stack.env, seeded_path: join(folder, 'demo.json'), project });
  project_id = seeded.project_id;
  renderctl = caller({
    ...stack.env,
    RENDERCTL_BASE_URL: stack.base_url,
    RENDERCTL_API_KEY: seeded.api_key,
    RENDERCTL_CACHE_DIR: join(folder, 'kept'),
  });
});

const json = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

const planOf = async (t: ExecutionContext, ...values: readonly string[]): Promise<PlanAnswer> =>
  await json(t, 'plan', project_id, '--template', TEMPLATE, ...values.flatMap((value) => ['--value', value]));

const refusal = async (t: ExecutionContext, ...args: readonly string[]): Promise<string> => {
  const { exit_code, stderr } = await renderctl(...args);
  t.is(exit_code, 1, stderr);
  return stderr;
};

type Picture = { readonly data: Buffer; readonly info: { readonly width: number; readonly height: number } };

const pixels = async (picture: Buffer | string): Promise<Picture> =>
  await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });

/** Mean over all pixels and channels, 0 to 255. */
const difference = (a: Picture, b: Picture): number => {
  let sum = 0;
  for (const [i, value] of a.data.entries()) sum += Math.abs(value - (b.data[i] ?? 255));
  return sum / a.data.length;
};

const frameOf = async (film: string, frame: number): Promise<Picture> => {
  const select = ['-vf', `select=eq(n\\,${frame})`, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', '-'];
  const { stdout } = await execa('ffmpeg', ['-v', 'error', '-i', film, ...select], { encoding: 'buffer' });
  return await pixels(Buffer.from(stdout));
};

test.serial('a first plan shows no cached segment, and a later one only changed segments', async (t) => {
  t.timeout(240_000);
  const cold = await planOf(t);
  t.like(cold, { frames: 60, project: { id: project_id, version: 1 } });
  t.deepEqual(
    cold.variants.map(({ name, frames_to_encode }) => [name, frames_to_encode]),
    [
      ['master', 60],
      ['small', 60],
    ],
  );
  t.deepEqual(cold.totals, { frames: 120, frames_to_encode: 120 });
  t.is(cold.segments[0]?.from, 0);
  t.is(cold.segments.at(-1)?.until, 60);
  for (const [i, segment] of cold.segments.slice(1).entries()) t.is(segment.from, cold.segments[i]?.until ?? -1);
  t.deepEqual(cold.segments[0]?.layers, ['band', 'title', 'logo']);
  t.false(cold.sound.cached);

  const order = ['--name', 'First', '--project', project_id, '--template', TEMPLATE];
  const rendered = await json(t, 'render', 'create', ...order, '--watch');
  t.is(rendered.status, 'complete');
  const warm = await planOf(t);
  t.deepEqual(warm.totals, { frames: 120, frames_to_encode: 0 });
  t.deepEqual(warm.runs, []);
  t.true(warm.sound.cached);
  const { stdout } = await renderctl('plan', project_id, '--template', TEMPLATE);
  t.regex(stdout, /All 120 frames are cached; the sound is cached\./);

  const other = await planOf(t, 'title=Another title');
  t.true(other.totals.frames_to_encode > 0);
  t.true(other.sound.cached, 'the sound is the same');

  const film = join(folder, 'film.mp4');
  await writeFile(film, Buffer.from(await (await fetch(rendered.output.master)).arrayBuffer()));
  const picture = join(folder, 'still.png');
  const still = await json(t, 'still', project_id, '--template', TEMPLATE, '--at', '0.4', '-o', picture);
  t.like(still, { file: picture, frame: 6, at_s: 0.4, width: 320, height: 180 });
  const drawn = await pixels(picture);
  const [before, same, after] = await Promise.all([5, 6, 7].map((frame) => frameOf(film, frame)));
  if (before === undefined || same === undefined || after === undefined) return t.fail('there are no frames');
  t.true(difference(drawn, same) < 3, `${difference(drawn, same)}`);
  t.true(difference(drawn, same) < difference(drawn, before));
  t.true(difference(drawn, same) < difference(drawn, after));
});

test.serial('a still after the end of the film is refused before any fetch', async (t) => {
  const at = (moment: string) => ['still', project_id, '--at', moment, '-o', join(folder, 'after.png')];
  for (const moment of ['4', '99'])
    t.regex(
      await refusal(t, ...at(moment)),
      /^renderctl: --at (4|99) is past the end: the video is 4 s long, and its last frame is at 3\.933$/m,
    );
  t.like(await json(t, ...at('3.99')), { frame: 59 });
});

test.serial('a still without -o prints the path of its file', async (t) => {
  const written = join(process.cwd(), 'still-0.25s.png');
  t.teardown(() => rm(written, { force: true }));
  const { stdout } = await renderctl('still', project_id, '--at', '0.25');
  t.true(stdout.startsWith(`${written}: frame 4 `), stdout);
  t.is((await sharp(written).metadata()).format, 'png');
});

test.serial('a JPEG still of the last frame uses given values and reports ignored ones', async (t) => {
  const picture = join(folder, 'last.jpg');
  const values = join(folder, 'values.json');
  await writeFile(values, JSON.stringify({ band: '#0000FF', tittle: 'x' }));
  const of = ['still', project_id, '--template', TEMPLATE, '--values', values, '--at', '3.99', '-o', picture];
  const { exit_code, stdout, stderr } = await renderctl(...of);
  t.is(exit_code, 0, stderr);
  t.regex(stdout, /last\.jpg: frame 59 \(at 3\.933 s\), 320x180/);
  t.regex(stderr, /values\.tittle: the template has no such field; did you mean "title"\?; it is ignored/);
  t.is((await sharp(picture).metadata()).format, 'jpeg');
  const { data } = await pixels(picture);
  t.deepEqual(
    [...data.subarray(0, 3)].map((channel) => channel > 128),
    [false, false, true],
  );
});

test.serial('assets are fetched once, and again if their copies are gone', async (t) => {
  const kept = join(folder, 'kept', 'assets');
  const files = (await readdir(kept)).toSorted();
  t.true(files.length > 0 && files.every((name) => /^[0-9a-f]{64}$/.test(name)));
  await rm(kept, { recursive: true });
  const picture = join(folder, 'again.png');
  await json(t, 'still', '--local', project_id, '--template', TEMPLATE, '--at', '1', '-o', picture);
  t.deepEqual((await readdir(kept)).toSorted(), files);
});

test.serial('the stills service draws what this machine draws, even after the project changed', async (t) => {
  const drawn = async (name: string, ...options: readonly string[]) => {
    const picture = join(folder, `${name}.png`);
    const { exit_code, stderr } = await renderctl('still', project_id, '--at', '0.4', '-o', picture, ...options);
    t.is(exit_code, 0, stderr);
    t.is(stderr, '');
    return await readFile(picture);
  };
  const of = (title: string) => ['--template', TEMPLATE, '--value', `title=${title}`];
  const here = await drawn('here', '--local', ...of('One'));
  for (const name of ['cold', 'warm']) t.true(here.equals(await drawn(name, ...of('One'))), name);
  t.false(here.equals(await drawn('other', ...of('Another'))));
  t.true(here.equals(await drawn('again', ...of('One'))));
  const asset = 'examples/demo/assets/logo-ember.png';
  await json(t, 'asset', 'add', asset, '--project', project_id, '--id', 'logo-fjell', '--replace');
  const changed = await drawn('changed', ...of('One'));
  t.false(here.equals(changed));
  t.true(changed.equals(await drawn('changed here', '--local', ...of('One'))));
});

test.serial('if the stills service fails, renderctl reports it and draws the still locally', async (t) => {
  const env = { ...stack.env, RENDERCTL_CACHE_DIR: join(folder, 'kept') };
  const picture = join(folder, 'without.png');
  const without = async (other: Readonly<Record<string, string>>) => {
    const { exit_code, stderr } = await caller({ ...env, ...other })('still', project_id, '--at', '1', '-o', picture);
    t.is(exit_code, 0, stderr);
    t.true((await pixels(picture)).data.length > 0);
    return stderr;
  };
  t.regex(
    await without({ STILLS_SECRET: 'x'.repeat(32) }),
    /^renderctl: the stills service is unavailable \(Authorization: .*\); drawing the frame on this machine$/m,
  );
  t.regex(
    await without({ RENDERCTL_STILLS_URL: 'http://127.0.0.1:1' }),
    /the stills service is unavailable \(it cannot be reached at http:\/\/127\.0\.0\.1:1\); drawing the frame on this machine/,
  );
  const { exit_code, stderr } = await caller({ ...env, STILLS_SECRET: '' })('still', project_id, '--at', '1');
  t.is(exit_code, 2);
  t.regex(stderr, /RENDERCTL_STILLS_URL needs STILLS_SECRET/);
});

test.serial('the stills service requires its secret and reports errors of a request', async (t) => {
  const url = `${stack.component('stills').url}/stills`;
  const ask = async (body: string, secret: string | null = stack.env.STILLS_SECRET ?? '') => {
    const authorization = secret === null ? {} : { Authorization: `Bearer ${secret}` };
    const headers = { 'Content-Type': 'application/json', ...authorization };
    const answer = await fetch(url, { method: 'POST', headers, body });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  for (const secret of [null, 'x', `${stack.env.STILLS_SECRET}0`]) t.is((await ask('{}', secret)).status, 401);
  t.deepEqual(await ask('{"at_s": -1, "format": "gif", "values": []}'), {
    status: 400,
    body: {
      error:
        'project_id: is required, at least 1 character; values: must be an object; at_s: must be seconds, from 0 to 100000; format: must be "png" or "jpeg"',
      code: 'invalid_field',
      param: 'project_id',
    },
  });
  t.like(await ask('{'), { status: 400 });
  t.like(await ask('{"project_id": "proj_x", "at_s": 1}'), { status: 404, body: { fault: { tag: 'missing' } } });
  const late = await ask(JSON.stringify({ project_id, at_s: 99 }));
  t.like(late, { status: 400, body: { fault: { tag: 'refused', reason: 'past_end' } } });
});

test.serial('a full asset cache evicts the least recently used assets', async (t) => {
  const kept_in = join(folder, 'little room');
  const { assets } = await json(t, 'asset', 'list', project_id);
  const [first, second] = assets.map((asset: object) => ({ ...asset, of_render: false }));
  const blobs = async () => E.right(blobsOf(stack.env));
  const provide = (asset: FinalAsset) => provideAssetFiles(blobs, kept_in, project_id, [asset], 1);
  t.true(E.isRight(await provide(first)));
  t.deepEqual(await readdir(join(kept_in, 'assets')), [first.sha256], 'files that are needed now always stay');
  t.true(E.isRight(await provide(second)));
  t.deepEqual(await readdir(join(kept_in, 'assets')), [second.sha256]);
});

test.serial('a still that cannot be drawn is refused with a reason, without a file', async (t) => {
  const picture = join(folder, 'none.png');
  const still = ['still', '--at', '1', '-o', picture];
  t.regex(await refusal(t, ...still, 'proj_x'), /there is no project proj_x; list them with "renderctl project list"/);
  t.regex(
    await refusal(t, ...still, project_id, '--template', 'tpl_flim'),
    /no template "tpl_flim"; did you mean "tpl_film"\?/,
  );
  const of = [...still, project_id, '--template', TEMPLATE];
  t.regex(await refusal(t, ...of, '--value', 'title=\u{13153}'), /values\.title: has a character .*: U\+13153$/m);
  t.regex(await refusal(t, ...of, '--value', 'band=green'), /values\.band: must be a colour/);
  t.regex(
    await refusal(t, ...of, '--value', 'logo=https://a.example/b.png'),
    /values\.logo: .*URL.*use the id of an asset/,
  );
  t.regex(
    await refusal(t, ...of, '--values', join(folder, 'no.json')),
    /no\.json cannot be read: the file does not exist/,
  );
  t.is((await renderctl(...still, project_id, '--value', 'a=b')).exit_code, 2);
  const nowhere = join(folder, 'nowhere', 'a.png');
  t.regex(
    await refusal(t, 'still', project_id, '--at', '1', '-o', nowhere),
    /a\.png cannot be written: the folder does not exist/,
  );
  await t.throwsAsync(readFile(picture));
  t.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.part')),
    [],
  );
});
