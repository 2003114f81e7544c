import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../../../cli/fault.ts';
import { bytesText, transferProgress } from '../../../cli/http/transfer-progress.ts';
import { type DownloadOptions, download } from '../../../cli/render/download.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { retryAfterPauses } from '../../../platform/process/retry.ts';
import { freePort } from '../../../stack/process/ports.ts';

const VIDEO = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
const HALF = 150_000;

const world = async (t: ExecutionContext, answer: RequestListener) => {
  const folder = await mkdtemp(join(tmpdir(), 'download '));
  t.teardown(() => rm(folder, { recursive: true }));
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const path = join(folder, 'card.mp4');
  const failures: string[] = [];
  const downloaded = (
    change: Partial<DownloadOptions> = {},
    url: E.Either<CliFault, string> = E.right(`http://127.0.0.1:${port}/master.mp4`),
  ) =>
    download(
      { id: 'rend_1', path, overwrite: false, url: async () => url },
      {
        clock: SYSTEM_CLOCK,
        idle_timeout_ms: 10_000,
        policy: retryAfterPauses([1, 1]),
        on_bytes: () => undefined,
        on_failure: (message) => failures.push(message),
        stop: new AbortController().signal,
        ...change,
      },
    );
  return { folder, path, port, ranges, failures, downloaded };
};

const whole: RequestListener = (request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const range = { 'Content-Range': `bytes ${from}-${VIDEO.length - 1}/${VIDEO.length}` };
  response.writeHead(from === 0 ? 200 : 206, { 'Content-Length': VIDEO.length - from, ...(from > 0 && range) });
  response.end(VIDEO.subarray(from));
};

/** Answers the first request with half of the video, and then calls `then`. A request for a range goes to `after`. */
const halfThen =
  (then: (end: () => void) => void, after: RequestListener): RequestListener =>
  (request, response) => {
    if (request.headers.range !== undefined) return after(request, response);
    response.writeHead(200, { 'Content-Length': VIDEO.length });
    response.write(VIDEO.subarray(0, HALF), () => then(() => response.destroy()));
  };

const NOTHING_LEFT: readonly string[] = [];

test('a video is saved whole, with its progress', async (t) => {
  const { folder, path, downloaded } = await world(t, whole);
  const seen: (readonly [number, number | null])[] = [];
  const result = await downloaded({ on_bytes: (done, total) => seen.push([done, total]) });
  t.deepEqual(result, E.right({ size_bytes: VIDEO.length }));
  t.true(VIDEO.equals(await readFile(path)));
  t.deepEqual(await readdir(folder), ['card.mp4']);
  t.deepEqual(seen.at(-1), [VIDEO.length, VIDEO.length]);
});

test('a file that appears under the same name during the download stays', async (t) => {
  const { folder, path, downloaded } = await world(t, whole);
  const on_bytes = () => writeFileSync(path, "somebody's");
  t.like(await downloaded({ on_bytes }), { left: { tag: 'usage' } });
  t.is(await readFile(path, 'utf8'), "somebody's");
  t.deepEqual(await readdir(folder), ['card.mp4']);
});

test('a broken download resumes', async (t) => {
  const { path, ranges, failures, downloaded } = await world(
    t,
    halfThen((end) => end(), whole),
  );
  t.true(E.isRight(await downloaded()));
  t.true(VIDEO.equals(await readFile(path)));
  t.is(ranges.length, 2);
  t.regex(ranges[1] ?? '', /^bytes=[1-9]\d*-$/);
  t.is(failures.length, 1);
});

test('a server that stops sending counts as broken', async (t) => {
  const { path, failures, downloaded } = await world(
    t,
    halfThen(() => undefined, whole),
  );
  t.true(E.isRight(await downloaded({ idle_timeout_ms: 3_000 })));
  t.true(VIDEO.equals(await readFile(path)));
  t.deepEqual([...new Set(failures)], ['the server sent no data before the timeout']);
});

test('a download restarts if the server does not support ranges', async (t) => {
  const all: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Length': VIDEO.length }).end(VIDEO);
  };
  const { path, downloaded } = await world(
    t,
    halfThen((end) => end(), all),
  );
  t.true(E.isRight(await downloaded()));
  t.true(VIDEO.equals(await readFile(path)));
});

// Runs alone, because it changes how the whole process writes files.
test.serial('a partial write leaves no gap in the file', async (t) => {
  const { path, downloaded } = await world(t, whole);
  const probe = await open('/dev/null', 'r');
  await probe.close();
  const handles: { write: (...args: readonly unknown[]) => unknown } = Object.getPrototypeOf(probe);
  const { write } = handles;
  t.teardown(() => Object.assign(handles, { write }));
  handles.write = function (chunk, offset, length, position) {
    return write.call(this, chunk, offset, Math.min(Number(length), 10_000), position);
  };
  t.true(E.isRight(await downloaded()));
  t.true(VIDEO.equals(await readFile(path)));
});

test('a failed download leaves no partial file and keeps an older file', async (t) => {
  const { folder, path, ranges, downloaded } = await world(
    t,
    halfThen(
      (end) => end(),
      (_request, response) => response.writeHead(503).end(),
    ),
  );
  await writeFile(path, 'of before');
  const result = await downloaded();
  t.deepEqual(result, E.left({ tag: 'not_downloaded', id: 'rend_1', message: 'the blob store returned status 503' }));
  t.is(await readFile(path, 'utf8'), 'of before');
  t.deepEqual(await readdir(folder), ['card.mp4']);
  t.is(ranges.length, 3, 'renderctl retries for a while');
});

test('a refusal is not retried', async (t) => {
  for (const status of [403, 404]) {
    const { folder, ranges, downloaded } = await world(t, (_request, response) => response.writeHead(status).end());
    const message = `the blob store returned status ${status}`;
    t.deepEqual(await downloaded(), E.left({ tag: 'not_downloaded', id: 'rend_1', message }));
    t.is(ranges.length, 1);
    t.deepEqual(await readdir(folder), NOTHING_LEFT);
  }
});

test('an unreachable store is named with its address', async (t) => {
  const { downloaded } = await world(t, whole);
  const port = await freePort();
  const result = await downloaded({}, E.right(`http://127.0.0.1:${port}/master.mp4`));
  t.regex(
    E.isLeft(result) && 'message' in result.left ? result.left.message : '',
    new RegExp(`ECONNREFUSED 127.0.0.1:${port}`),
  );
});

test('Ctrl-C leaves no partial file', async (t) => {
  const stopping = new AbortController();
  const { folder, downloaded } = await world(
    t,
    halfThen(() => undefined, whole),
  );
  const result = await downloaded({ stop: stopping.signal, on_bytes: () => stopping.abort() });
  t.deepEqual(result, E.left({ tag: 'interrupted' }));
  t.deepEqual(await readdir(folder), NOTHING_LEFT);
});

test('a missing link is explained, and a busy service is retried', async (t) => {
  const { folder, failures, downloaded } = await world(t, whole);
  const gone = { tag: 'http', status: 404, message: 'there is no such render' } as const;
  t.deepEqual(await downloaded({}, E.left(gone)), E.left(gone));
  const busy = { tag: 'http', status: 429, message: 'too many' } as const;
  await downloaded({}, E.left(busy));
  t.deepEqual(failures, ['too many', 'too many']);
  t.deepEqual(await readdir(folder), NOTHING_LEFT);
});

test('in a pipe the progress is printed as lines at intervals', (t) => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString('utf8'));
      done();
    },
  });
  let now = 0;
  const { show, stop } = transferProgress(stream, { monotonic: () => now });
  for (const percent of Array.from({ length: 100 }, (_, i) => i + 1)) {
    now += 100;
    show(percent * 290_000, 29_000_000);
  }
  show(1_500_000_000, null);
  stop();
  const tenSeconds = ['20 %', '40 %', '60 %', '80 %', '100 %'];
  t.deepEqual(
    chunks,
    tenSeconds.map((share) => `${share} of 29.0 MB\n`),
  );
});

test('sizes use the largest unit that they fill', (t) => {
  const sizes = [1, 999_000, 999_999, 1_400_000, 999_999_999, 2_340_000_000];
  t.deepEqual(sizes.map(bytesText), ['1 kB', '999 kB', '1.0 MB', '1.4 MB', '1.00 GB', '2.34 GB']);
});
