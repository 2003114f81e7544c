import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { framesOf, pixelAt } from '../../integration/engine/_measuring.ts';
import { post, renderIn, transitionsOf, untilOver } from '../_service.ts';
import { test } from './_service-in-common.ts';

test.serial('the video shows the picture at the URL in a value', async (t) => {
  t.timeout(450_000);
  const { service, film, server } = t.context;
  const body = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#FF8000' } })
    .jpeg({ quality: 100 })
    .toBuffer();
  server.answer('/ada.jpg', { tag: 'answer', body, headers: { 'Content-Type': 'text/plain' } });
  server.answer('/moved', { tag: 'answer', status: 302, headers: { Location: '/ada.jpg' } });

  const answer = await post(service, film, { logo: `${server.origin}/moved` });
  t.is(answer.status, 201, JSON.stringify(answer.body));
  const render = await untilOver(service, renderIn(answer).id);
  t.is(render.status, 'complete', JSON.stringify(render));
  const download = await fetch(render.output?.master ?? '');
  const file = join(service.folder, 'remote.mp4');
  await writeFile(file, Buffer.from(await download.arrayBuffer()));
  const [frame] = await framesOf(file, 320, 180, [30]);
  const [red, green, blue] = pixelAt(frame, 320, 80, 150);
  t.true((red ?? 0) > 240 && Math.abs((green ?? 0) - 128) < 12 && (blue ?? 255) < 12, `${red},${green},${blue}`);
});

test.serial('a URL that cannot be fetched is reported by its field', async (t) => {
  t.timeout(450_000);
  const { service, film, server } = t.context;
  const refused = await post(service, film, { logo: `http://localhost:${server.port}/ada.jpg` });
  t.is(refused.status, 400);
  t.regex(
    JSON.stringify(refused.body),
    /values\.logo: must be the id of an asset of the project, or a URL that begins with https:/,
  );
  const answer = await post(service, film, { logo: `${server.origin}/secret-name.jpg` });
  t.is(answer.status, 201, JSON.stringify(answer.body));
  const render = await untilOver(service, renderIn(answer).id);
  t.is(render.status, 'failed');
  const last = (await transitionsOf(service, render.id)).at(-1);
  t.like(last?.failure, {
    ...{ stage: 'preparation', field: 'values.logo' },
    message: 'values.logo: could not be fetched. The server answered 404.',
  });
});
