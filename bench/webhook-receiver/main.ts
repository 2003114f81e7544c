import { getOneMessage, sendMessage } from 'execa';
import { startHttpsReceiver } from '../../stack/testing/https-receiver.ts';
import type { BenchReceived } from '../webhook-receiver.ts';

// The receiver runs in its own process, so that it uses no time of the measuring process. It stores requests and
// returns them on demand.
const { CERT: cert = '', KEY: key = '' } = process.env;
const receiver = await startHttpsReceiver({ certificate: { cert, key } });
receiver.answer('/hang', { tag: 'hang' });
await sendMessage(receiver.origin);

// The message is the number of requests that the parent already has.
for (;;) {
  const known = Number(await getOneMessage());
  const more: readonly BenchReceived[] = receiver
    .received()
    .slice(known)
    .map(({ path, headers, body, at }) => ({
      path,
      at,
      id: String(headers['x-webhook-id']),
      signature: String(headers['x-webhook-signature']),
      body: body.toString('utf8'),
    }));
  await sendMessage(JSON.stringify(more));
}
