import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import sharp from 'sharp';
import { freePort } from '../../stack/process/ports.ts';
import { type HttpsReceiver, mediaFrom, startHttpsReceiver } from '../../stack/testing/https-receiver.ts';
import { localCertificate } from '../../stack/tls/kept-certificates.ts';
import { framesOf, pixelAt } from '../integration/engine/_measuring.ts';
import { SHORT } from './_films.ts';
import { importFilm, openService, post, renderIn, type Service, transitionsOf, untilOver } from './_service.ts';

// A picture from a client's own server, through the whole service.
type World = { readonly service: Service; readonly film: string; readonly server: HttpsReceiver };

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  const service = await openService(mediaFrom(port));
  Object.assign(t.context, { service });
  const film = await importFilm(service, 'short', SHORT);
  const certificate = localCertificate(service.stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const server = await startHttpsReceiver({ certificate, port, answer: { tag: 'answer', status: 404 } });
  t.context = { service, film, server };
});

test.after.always(async (t) => {
  t.timeout(90_000);
  await t.context.server?.close();
  await t.context.service?.close();
});

test.serial('the picture that a value points to is in the video', async (t) => {
  t.timeout(300_000);
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

test.serial('a URL that cannot be fetched is told by its field: at once, or by the failed render', async (t) => {
  t.timeout(300_000);
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
