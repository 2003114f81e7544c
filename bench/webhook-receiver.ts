import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';
import * as t from 'io-ts';
import type { Certificate } from '../stack/tls/certificate.ts';

const Received = t.type({
  /** The path of the endpoint's address. */
  path: t.string,
  /** Ms since the epoch, when the request was complete. */
  at: t.number,
  /** `X-Webhook-ID` and `X-Webhook-Signature` */
  id: t.string,
  signature: t.string,
  body: t.string,
});
export type BenchReceived = t.TypeOf<typeof Received>;

/** A receiver in its own process. It answers 200 immediately on all paths except `/hang`, where it never responds. */
export type BenchReceiver = {
  readonly origin: string;
  readonly received: () => Promise<readonly BenchReceived[]>;
};

const MAIN = fileURLToPath(new URL('./webhook-receiver/main.ts', import.meta.url));

export const withBenchReceiver = async <A>(
  { cert, key }: Certificate,
  work: (receiver: BenchReceiver) => Promise<A>,
): Promise<A> => {
  const running = execaNode(MAIN, { env: { CERT: cert, KEY: key }, ipc: true, reject: false, stderr: 'inherit' });
  try {
    const origin = await running.getOneMessage();
    if (typeof origin !== 'string') throw new Error('the receiver tells no address');
    const received: BenchReceived[] = [];
    return await work({
      origin,
      received: async () => {
        const answer = running.getOneMessage();
        await running.sendMessage(received.length);
        const more: unknown = JSON.parse(String(await answer));
        if (!t.array(Received).is(more)) throw new Error('the receiver tells no requests');
        received.push(...more);
        return received;
      },
    });
  } finally {
    running.kill();
    await running;
  }
};
