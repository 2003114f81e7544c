import { copyFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { checkMedia } from '../../../render-workers/engine/check-media.ts';
import { renderComposition } from '../../../render-workers/engine/render.ts';
import { type AssetParts, finalOf } from './_composition.ts';
import { ffmpeg, folderOf, optionsOf } from './_rendering.ts';

const checked = async (kind: AssetParts['kind'], path: string) => {
  const final = finalOf({ layers: [{ id: 'a', type: kind, asset: 'it' }] }, [{ id: 'it', kind }]);
  const result = await checkMedia(final, new Map([['it', path]]));
  if (E.isRight(result)) return 'fine';
  return result.left.tag === 'composition' ? `${result.left.code}: ${result.left.message}` : result.left.tag;
};

test('a font that is not one of the engine is named', async (t) => {
  const final = finalOf({ layers: [{ id: 'a', type: 'text', text: 'x', font_family: 'DejaVu Sans' }] });
  t.like(await checkMedia(final, new Map()), {
    left: {
      tag: 'composition',
      code: 'font_not_available',
      field: 'layers[0].font_family',
      message: 'this font family is not available; there are Noto Sans, Noto Sans Arabic, Noto Sans Devanagari',
    },
  });
});

test('media that lie about themselves are refused, and no file is read nor connection made', async (t) => {
  const folder = await folderOf(t);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const path = (name: string) => join(folder, name);
  const written = async (name: string, content: string) => {
    await writeFile(path(name), content);
    return path(name);
  };
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1', path('tone.mp3'));
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:d=1', path('clip.mp4'));
  await copyFile(path('clip.mp4'), path('cut.mp4'));
  await truncate(path('cut.mp4'), 1500);

  const convert = 'unreadable_media: the video "it" cannot be read: convert it to MP4 (H.264)';
  const notImage =
    'unreadable_media: the image "it" is not an image that can be read: convert it to PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG';
  const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}/a.ts\n#EXT-X-ENDLIST\n`;
  t.is(await checked('image', await written('list.png', playlist)), notImage);
  t.is(await checked('video', await written('list.mp4', playlist)), convert);
  t.is(
    await checked('video', await written('concat.mp4', `ffconcat version 1.0\nfile '${path('clip.mp4')}'\n`)),
    convert,
  );
  t.is(await checked('video', await written('empty.mp4', '')), convert);
  t.is(await checked('image', await written('empty.png', '')), notImage);
  t.is(await checked('video', path('cut.mp4')), convert);
  t.is(await checked('video', path('tone.mp3')), 'unreadable_media: the video "it" holds no picture');
  t.is(await checked('audio', path('clip.mp4')), 'unreadable_media: the audio "it" holds no sound');
  t.is(await checked('audio', path('tone.mp3')), 'fine');
  t.is(await checked('video', path('clip.mp4')), 'fine');
  t.is(await checked('image', path('clip.mp4')), notImage);
  t.is(connections, 0);
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

test('an image cut off in its middle fails the render with its name, and leaves nothing', async (t) => {
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

const long = () =>
  finalOf({ width: 1280, height: 720, duration: 600, layers: [{ id: 't', type: 'text', text: 'long' }] });

test('an abort ends the render within a second and leaves nothing', async (t) => {
  const folder = await folderOf(t);
  const controller = new AbortController();
  let aborted_at = 0;
  const result = await renderComposition({
    ...optionsOf(long(), folder),
    signal: controller.signal,
    on_progress: ({ frames_done }) => {
      if (frames_done === 0 || aborted_at > 0) return;
      aborted_at = performance.now();
      controller.abort();
    },
  });
  t.deepEqual(result, E.left({ tag: 'cancelled' }));
  t.true(aborted_at > 0 && performance.now() - aborted_at < 1000);
  t.deepEqual(await readdir(folder), []);
});

test('past its budget a render is stopped within a second', async (t) => {
  const folder = await folderOf(t);
  const began_at = performance.now();
  const result = await renderComposition({ ...optionsOf(long(), folder), budget_ms: 1500 });
  t.like(result, { left: { tag: 'over_budget' } });
  t.true(performance.now() - began_at < 2500);
  t.deepEqual(await readdir(folder), []);
});

test('a missing program is a fault of the surroundings', async (t) => {
  const folder = await folderOf(t);
  const final = finalOf({ layers: [] });
  t.like(await renderComposition({ ...optionsOf(final, folder), ffmpeg_path: '/nowhere/ffmpeg' }), {
    left: { tag: 'surroundings' },
  });
});
