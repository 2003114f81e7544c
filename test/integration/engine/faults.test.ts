import { chmod, copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { checkMedia } from '../../../engine/check-composition.ts';
import { runProcess } from '../../../engine/process/run-process.ts';
import type { OnProgress } from '../../../engine/render/frame-count.ts';
import { renderComposition } from '../../../engine/render-composition.ts';
import { renderFrame } from '../../../engine/render-frame.ts';
import type { ProcessBounds } from '../../../platform/sandbox/sandbox.ts';
import { openCanaryServer } from '../../helpers/canary-server.ts';
import { limitsOf, SANDBOX, UNCONFINED } from '../../helpers/sandbox.ts';
import { type AssetParts, finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf } from './_rendering.ts';

const checked = async (kind: AssetParts['kind'], path: string) => {
  const { final, assets } = optionsOf(
    finalOf({ layers: [{ id: 'a', type: kind, asset: 'it' }] }, [{ id: 'it', kind }]),
    '/nowhere',
    { it: path },
  );
  const result = await checkMedia(final, assets, { sandbox: SANDBOX });
  if (E.isRight(result)) return 'fine';
  return result.left.tag === 'composition' ? `${result.left.code}: ${result.left.message}` : result.left.tag;
};

test('a refusal names the font that the engine lacks', async (t) => {
  const final = finalOf({ layers: [{ id: 'a', type: 'text', text: 'x', font_family: 'DejaVu Sans' }] });
  t.like(await checkMedia(final, new Map(), { sandbox: SANDBOX }), {
    left: {
      tag: 'composition',
      code: 'font_not_available',
      field: 'layers[0].font_family',
      message: `this font family is not available. Available families: ${FONT_FAMILIES.join(', ')}`,
    },
  });
});

test('a file of another kind is refused without opening other files or connections', async (t) => {
  const folder = await folderOf(t);
  const server = await openCanaryServer();
  t.teardown(server.close);
  const url = `http://127.0.0.1:${server.port}`;
  const path = (name: string) => join(folder, name);
  const written = async (name: string, content: string) => {
    await writeFile(path(name), content);
    return path(name);
  };
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1', path('tone.mp3'));
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:d=1', path('clip.mp4'));
  await copyFile(path('clip.mp4'), path('cut.mp4'));
  await truncate(path('cut.mp4'), 1500);

  const refused = async (kind: AssetParts['kind'], file: string) =>
    t.regex(await checked(kind, file), new RegExp(`^unreadable_media: the ${kind} "it" (is|has|cannot) `));
  const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}/a.ts\n#EXT-X-ENDLIST\n`;
  await refused('image', await written('list.png', playlist));
  await refused('video', await written('list.mp4', playlist));
  await refused('video', await written('concat.mp4', `ffconcat version 1.0\nfile '${path('clip.mp4')}'\n`));
  await refused('video', await written('empty.mp4', ''));
  await refused('image', await written('empty.png', ''));
  await refused('video', path('cut.mp4'));
  await refused('video', path('tone.mp3'));
  await refused('audio', path('clip.mp4'));
  await refused('image', path('clip.mp4'));
  t.is(await checked('audio', path('tone.mp3')), 'fine');
  t.is(await checked('video', path('clip.mp4')), 'fine');
  t.is(server.connections(), 0);
});

test('each kind of unusable file is refused with advice', async (t) => {
  const folder = await folderOf(t);
  const page = join(folder, 'page');
  await writeFile(page, '<!doctype html><title>404</title>');
  for (const [kind, noun] of [
    ['image', 'a picture'],
    ['video', 'a video'],
    ['audio', 'a sound'],
  ] as const)
    t.is(
      await checked(kind, page),
      `unreadable_media: the ${kind} "it" is a web page (HTML) and not ${noun}: download the file itself`,
    );
});

test('a picture from a URL is decoded completely before its render is priced', async (t) => {
  const folder = await folderOf(t);
  const cut = join(folder, 'cut.jpg');
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const whole = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#888', noise } })
    .jpeg()
    .toBuffer();
  await writeFile(cut, whole.subarray(0, whole.length / 2));
  const { final, assets } = optionsOf(
    finalOf({ layers: [{ id: 'a', type: 'image', asset: 'it' }] }, [{ id: 'it', kind: 'image' }]),
    folder,
    { it: cut },
  );
  const fetched = { ...final, assets: final.assets.map((asset) => ({ ...asset, of_render: true })) };
  const message = 'the image "it" is damaged or cut off: save it again';
  const left = { tag: 'composition', code: 'unreadable_media', field: 'assets.it', message };
  t.like(await checkMedia(fetched, assets, { sandbox: SANDBOX }), { left });
  t.true(E.isRight(await checkMedia(final, assets, { sandbox: SANDBOX })), 'those of projects were decoded at import');
});

test('an SVG reads no file and makes no connection', async (t) => {
  const folder = await folderOf(t);
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00FF00' } })
    .png()
    .toFile(join(folder, 'in.png'));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8"><image xlink:href="in.png" width="8" height="8"/><image xlink:href="file://${folder}/in.png" width="8" height="8"/></svg>`;
  await writeFile(join(folder, 'it.svg'), svg);
  const final = finalOf({ background: '#FF0000', layers: [{ id: 'a', type: 'image', asset: 'it' }] }, [
    { id: 'it', kind: 'image' },
  ]);
  const result = await renderComposition(optionsOf(final, join(folder, 'out'), { it: join(folder, 'it.svg') }));
  t.true(E.isRight(result));
  const [red = 0, green = 255] = await sharp(join(folder, 'out', 'poster.jpg'))
    .extract({ left: 160, top: 90, width: 1, height: 1 })
    .raw()
    .toBuffer();
  t.true(red > 240 && green < 16, `${red} ${green}`);
});

test('a truncated image fails the render with its name and leaves no file', async (t) => {
  const folder = await folderOf(t);
  const noise = {
    width: 200,
    height: 200,
    channels: 3 as const,
    noise: { type: 'gaussian' as const, mean: 128, sigma: 30 },
  };
  await sharp({ create: { ...noise, background: '#000000' } })
    .png()
    .toFile(join(folder, 'cut.png'));
  await truncate(join(folder, 'cut.png'), 20_000);
  const final = finalOf({ layers: [{ id: 'a', type: 'image', asset: 'it' }] }, [{ id: 'it', kind: 'image' }]);
  const result = await renderComposition(optionsOf(final, join(folder, 'out'), { it: join(folder, 'cut.png') }));
  t.like(result, { left: { tag: 'composition', code: 'unreadable_media', field: 'layers[0].asset' } });
  t.deepEqual(await readdir(join(folder, 'out')), []);
});

const withoutData = async (whole: string, damaged: string, share: number): Promise<string> => {
  const bytes = await readFile(whole);
  const [begin, end] = [bytes.indexOf('mdat') + 4, bytes.lastIndexOf('moov') - 4];
  await writeFile(damaged, bytes.fill(0xa5, Math.round(begin + share * (end - begin)), end));
  return damaged;
};

const pair = async (folder: string, broken: boolean) => {
  const [sound, whole] = [join(folder, 'sound.mp4'), join(folder, 'whole.mp4')];
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=10:d=2'];
  await ffmpeg(...source, '-g', '10', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', whole);
  // ffmpeg fails in a run with several sources if it can decode less than a third of all frames.
  await ffmpeg(...source, '-frames:v', '2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', sound);
  const other = join(folder, 'other.mp4');
  if (broken) await withoutData(whole, other, 0.3);
  else await copyFile(whole, other);
  const layer = { type: 'video', width: 160, height: 90, volume: 0 };
  const layers = [
    { id: 'l', asset: 'sound', ...layer },
    { id: 'r', asset: 'broken', ...layer, x: 160, trim_start: 1.6 },
  ];
  const final = finalOf({ fps: 10, layers }, [
    { id: 'sound', kind: 'video' },
    { id: 'broken', kind: 'video' },
  ]);
  return optionsOf(final, join(folder, 'out'), { sound, broken: other });
};

test('a film with undecodable frames is named, and a valid neighbour is not', async (t) => {
  const folder = await folderOf(t);
  const options = await pair(folder, true);
  const named = { left: { tag: 'composition', code: 'unreadable_media', field: 'assets.broken' } };
  const result = await renderComposition(options);
  t.like(result, named);
  t.regex(JSON.stringify(result), /the video \\"broken\\" is damaged: decoding fails after 1\.1 s; export/);
  t.like(await renderFrame({ ...options, work_dir: folder }, 0.5), named);
});

test('an undecodable sound is named, and a valid sound next to it is not', async (t) => {
  const folder = await folderOf(t);
  const sound = join(folder, 'sound.m4a');
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac', sound);
  const broken = await withoutData(sound, join(folder, 'broken.m4a'), 0.1);
  const layers = [
    { id: 'a', type: 'audio', asset: 'sound', duration: 0.1 },
    { id: 'b', type: 'audio', asset: 'broken' },
  ];
  const final = finalOf({ fps: 10, layers }, [
    { id: 'sound', kind: 'audio' },
    { id: 'broken', kind: 'audio' },
  ]);
  const result = await renderComposition(optionsOf(final, join(folder, 'out'), { sound, broken }));
  t.like(result, { left: { tag: 'composition', code: 'unreadable_media', field: 'assets.broken' } });
});

const failingFfmpeg = async (folder: string, message: string): Promise<string> => {
  const program = join(folder, 'ffmpeg');
  const refusal = `case "$*" in *filter_complex_script*) echo '${message}' >&2; exit 1;; esac`;
  await writeFile(program, `#!/bin/sh\n${refusal}\nexec ffmpeg "$@"\n`);
  await chmod(program, 0o755);
  return program;
};

test('an ffmpeg error does not blame the composition if the source decodes', async (t) => {
  const folder = await folderOf(t);
  const options = await pair(folder, false);
  const ffmpeg_path = await failingFfmpeg(folder, 'Error while processing the decoded data for stream #0:0');
  const failed = await renderComposition({ ...options, sandbox: UNCONFINED, ffmpeg_path });
  t.like(failed, { left: { tag: 'infrastructure' } });
  const still = await renderFrame({ ...options, work_dir: folder, sandbox: UNCONFINED, ffmpeg_path }, 0.5);
  t.like(still, { left: { tag: 'infrastructure' } });
  t.true(E.isRight(await renderComposition(options)));
});

const long = () =>
  finalOf({ width: 1280, height: 720, duration: 600, layers: [{ id: 't', type: 'text', text: 'long' }] });

/** The progress of a render: a stopped one is far from its end, even on a busy machine. */
const watched = () => {
  let share = 0;
  const on_progress: OnProgress = ({ frames_done, frames_total }) => {
    share = frames_done / frames_total;
  };
  return { on_progress, share: () => share };
};

test('an abort stops the render at once and leaves no file', async (t) => {
  const folder = await folderOf(t);
  const controller = new AbortController();
  const { on_progress, share } = watched();
  const result = await renderComposition({
    ...optionsOf(long(), folder),
    signal: controller.signal,
    on_progress: (now) => {
      on_progress(now);
      if (now.frames_done > 0) controller.abort();
    },
  });
  t.deepEqual(result, E.left({ tag: 'cancelled' }));
  t.true(share() > 0 && share() < 0.5);
  t.deepEqual(await readdir(folder), []);
});

test('a render that exceeds its budget stops at once', async (t) => {
  const folder = await folderOf(t);
  const { on_progress, share } = watched();
  const result = await renderComposition({ ...optionsOf(long(), folder), on_progress, budget_ms: 1500 });
  t.like(result, { left: { tag: 'over_budget' } });
  t.true(share() < 0.5);
  t.deepEqual(await readdir(folder), []);
});

test('a missing program is an infrastructure fault', async (t) => {
  const folder = await folderOf(t);
  const final = finalOf({ layers: [] });
  t.like(await renderComposition({ ...optionsOf(final, folder), ffmpeg_path: '/nowhere/ffmpeg' }), {
    left: { tag: 'infrastructure' },
  });
});

const crampedFfmpeg = async (folder: string): Promise<string> => {
  const program = join(folder, 'ffmpeg');
  await writeFile(program, '#!/bin/sh\nulimit -f 60\nexec ffmpeg "$@"\n');
  await chmod(program, 0o755);
  return program;
};

const noise = () =>
  finalOf({
    width: 640,
    height: 360,
    duration: 2,
    layers: Array.from({ length: 20 }, (_, n) => ({
      ...{ id: `t${n}`, type: 'text', text: 'full of edges '.repeat(9), font_size: 12, y: 18 * n, height: 18 },
      keyframes: {
        position: [
          { time: 0, x: 0, y: 18 * n },
          { time: 2, x: 300, y: 18 * n },
        ],
      },
    })),
  });

test('a full disk fails the render as retriable and leaves no file', async (t) => {
  const folder = await folderOf(t);
  const out = join(folder, 'out');
  const cache = await openFolderCache(join(folder, 'cache'));
  const options = { ...optionsOf(noise(), out), cache, max_segment_frames: 20 };
  const failed = await renderComposition({ ...options, sandbox: UNCONFINED, ffmpeg_path: await crampedFfmpeg(folder) });
  t.like(failed, { left: { tag: 'infrastructure' } });
  t.deepEqual(await readdir(out), []);
  t.true(E.isRight(await renderComposition(options)));
});

test('files of the encoder and memory of processes are bounded', async (t) => {
  const folder = await folderOf(t);
  const limits = limitsOf(20_000, UNCONFINED);
  const within = (args: readonly string[], bounds: ProcessBounds) =>
    runProcess({ program: 'sh', args, reads: [], writes: folder, bounds }, limits);
  const file = join(folder, 'grows');
  const wide = { memory_bytes: 2 ** 30, file_bytes: 2 ** 30 };
  const write = ['-c', `head -c 300000 /dev/zero > '${file}'`];
  t.deepEqual(await within(write, wide), E.right({ exit_code: 0, stdout: '', stderr: '' }));
  await within(write, { ...wide, file_bytes: 100_000 });
  t.is((await stat(file)).size, 100_000);
  const eat = ['-c', 'head -c 200000000 /dev/zero | tail -n 1 > /dev/null'];
  t.like(await within(eat, wide), { right: { exit_code: 0 } });
  t.notDeepEqual(await within(eat, { ...wide, memory_bytes: 50_000_000 }), await within(eat, wide));
});

test('an abort does not wait for a cache that never answers', async (t) => {
  const folder = await folderOf(t);
  const controller = new AbortController();
  const silent: SegmentCache = {
    has: () => new Promise(() => undefined),
    fetch: () => {
      controller.abort();
      return new Promise(() => undefined);
    },
    store: async () => undefined,
  };
  const result = await renderComposition({
    ...optionsOf(finalOf({ layers: [] }), folder),
    ...{ cache: silent, signal: controller.signal },
  });
  t.deepEqual(result, E.left({ tag: 'cancelled' }));
  t.deepEqual(await readdir(folder), []);
});
