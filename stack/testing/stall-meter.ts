import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Preloaded into a process (see `stalls.ts`). Records when the process's own work blocked its event loop. The smaller of
// a timer's delay and the thread's CPU time in that period counts. A process that waits for a busy machine is late too,
// but uses no CPU time.

const LOOK_MS = 10;
/** Shorter stalls are not recorded. */
const MIN_MS = 25;
const MAX_REQUESTS = 8;

const file = new URL(import.meta.url).searchParams.get('file');

const requestText = (message: unknown): string => {
  const { method, url } = Object(Object(message).request);
  return `${method} ${String(url).slice(0, 100)}`;
};

const write = (to: string, ms: number, requests: readonly string[]): void =>
  appendFileSync(to, `${JSON.stringify({ at: Date.now(), program: process.argv[1] ?? '', ms, requests })}\n`);

const measure = (to: string): void => {
  // Writes a first line at once, which shows a test that the process is measured.
  write(to, 0, []);
  let requests: string[] = [];
  subscribe('http.server.request.start', (message) => {
    requests = [...requests.slice(1 - MAX_REQUESTS), requestText(message)];
  });
  let looked_at = performance.now();
  let used = process.threadCpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(used);
    const ms = Math.min(now - looked_at - LOOK_MS, (user + system) / 1000);
    if (ms > MIN_MS) write(to, ms, requests);
    looked_at = performance.now();
    used = process.threadCpuUsage();
    requests = [];
  };
  setInterval(look, LOOK_MS).unref();
};

if (isMainThread && file !== null) measure(file);
