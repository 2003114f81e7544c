import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../../stack/process/ports.ts';
import { type HttpsReceiver, mediaFrom, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { SHORT } from '../_films.ts';
import { importFilm, openService, type Service } from '../_service.ts';

export type Common = {
  readonly service: Service;
  readonly film: string;
  readonly server: HttpsReceiver;
};

export const test = anyTest as TestFn<Common>;

test.serial.before(async (t) => {
  t.timeout(450_000);
  const port = await freePort();
  const service = await openService(mediaFrom(port));
  // Set at once, so that the hook that closes the service finds it even if a later step fails.
  Object.assign(t.context, { service });
  const film = await importFilm(service, 'short', SHORT);
  const certificate = localCertificate(service.stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const server = await startHttpsReceiver({ certificate, port, answer: { tag: 'answer', status: 404 } });
  t.context = { service, film, server };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.server?.close();
  await t.context.service?.close();
});
