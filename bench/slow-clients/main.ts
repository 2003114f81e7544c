import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

// Clients that keep a server waiting as long as possible, and reconnect. Ends with its parent.
const url = new URL(process.env.GATEWAY_URL ?? '');
const count = Number(process.env.CLIENTS);
const addresses = Number(process.env.ADDRESSES);

// The clients get a low priority, because real clients do not share the cores of the server.
setPriority(constants.priority.PRIORITY_LOW);

const EVERY_MS = 1_000;
const BACK_AFTER_MS = 1_000;
const AHEAD = 20;

/** Pipelines requests and reads no responses. */
const PIPELINING = { start: 'GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(AHEAD), more: '', reads: false };
const SLOW_BODY = {
  start: 'POST /v1/renders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
  more: ' ',
  reads: true,
};
const LARGEST_ANSWER = { start: 'GET /v1/docs/swagger-ui.js HTTP/1.1\r\nHost: a\r\n\r\n', more: '', reads: false };
const SLOW_HEADERS = { start: 'GET /v1/teams HTTP/1.1\r\nHost: a\r\nX-Slow: ', more: 'x', reads: true };
const KINDS = [PIPELINING, SLOW_BODY, PIPELINING, SLOW_BODY, LARGEST_ANSWER, SLOW_HEADERS];

const client = async (i: number): Promise<void> => {
  const { start, more, reads } = KINDS[i % KINDS.length] ?? PIPELINING;
  const localAddress = `127.0.0.${2 + (i % addresses)}`;
  for (;;) {
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
    });
    await pause(BACK_AFTER_MS);
  }
};

process.stdin.once('end', () => process.exit()).resume();
process.stdout.write('beginning\n');
for (let i = 0; i < count; i += 1) void client(i);
