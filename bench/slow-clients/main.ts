import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

// Clients that keep a server waiting as long as possible, and reconnect. Ends with its parent.
const url = new URL(process.env.GATEWAY_URL ?? '');
const count = Number(process.env.CLIENTS);
const addresses = Number(process.env.ADDRESSES);

const EVERY_MS = 1_000;
const BACK_AFTER_MS = 1_000;
/** They connect within 3 s: all at once would measure the making of connections and of large answers. */
const TOGETHER = 100;
const TOGETHER_EVERY_MS = 150;

/** Sends its headers or its body byte by byte, or requests the largest answer and reads none of it. */
const KINDS = [
  { start: 'GET /v1/teams HTTP/1.1\r\nHost: a\r\nX-Slow: ', more: 'x', reads: true },
  {
    start: 'POST /v1/renders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
    more: ' ',
    reads: true,
  },
  {
    start: 'GET /v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n',
    more: '',
    reads: false,
  },
];

let begun = 0;

const client = async (i: number): Promise<void> => {
  const { start, more, reads } = KINDS[i % KINDS.length] ?? KINDS[0] ?? { start: '', more: '', reads: true };
  const localAddress = `127.0.0.${2 + (i % addresses)}`;
  for (let first = true; ; first = false) {
    await new Promise<void>((resolve) => {
      const socket = connect({ port: Number(url.port), host: url.hostname, localAddress });
      const timer = setInterval(() => more === '' || socket.write(more), EVERY_MS);
      socket.on('connect', () => socket.write(start));
      if (reads) socket.resume();
      else socket.pause();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        resolve();
      });
      begun += first ? 1 : 0;
      if (first && begun === count) process.stdout.write('all began\n');
    });
    await pause(BACK_AFTER_MS);
  }
};

process.stdin.once('end', () => process.exit()).resume();
for (let i = 0; i < count; i += 1) {
  void client(i);
  if (i % TOGETHER === TOGETHER - 1) await pause(TOGETHER_EVERY_MS);
}
