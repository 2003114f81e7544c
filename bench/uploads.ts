import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobServiceClient } from '@azure/storage-blob';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { newSlots, PUT_DEFAULTS, putBlocks } from '../cli/http/put-blocks.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import type { Stack } from '../stack/launcher.ts';
import { ROOT } from '../stack/servers/tools.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { newAccountKey } from './account-key.ts';
import type { BenchmarkResult } from './figures.ts';
import { processUsageOf } from './usage.ts';

const MIB = 1024 ** 2;
const ROUNDS = 3;
const WATCH_MS = 200;
const LOOK_MS = 200;
/** The processes that handle an upload. */
const COMPONENTS = ['gateway', 'command-api', 'query-api', 'stills'];
const VIDEO = join(ROOT, 'examples', 'demo', 'assets', 'mountains.mp4');
const BOX_HEADER_BYTES = 8;

const Upload = t.intersection([
  t.type({ id: t.string, status: t.string }),
  t.partial({ upload_url: t.string, faults: t.array(t.string) }),
]);

const uploadMiB = (): number => {
  const wanted = Number(process.env.UPLOAD_MB ?? 1_024);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 2_000) throw new Error('UPLOAD_MB: 1 to 2000');
  return wanted;
};

/** A video of this size: a short one, and a box of zeros that players skip. */
const writeFilm = async (file: string, size_bytes: number): Promise<void> => {
  const video = await readFile(VIDEO);
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(size_bytes - video.length);
  header.write('free', 4, 'latin1');
  const out = createWriteStream(file);
  out.write(Buffer.concat([video, header]));
  const zeros = Buffer.alloc(MIB);
  for (let left = size_bytes - video.length - header.length; left > 0; left -= zeros.length)
    if (!out.write(zeros.subarray(0, left))) await once(out, 'drain');
  out.end();
  await once(out, 'close');
};

type Film = { readonly file: string; readonly size_bytes: number };

const timed = async <A>(work: () => Promise<A>): Promise<readonly [seconds: number, result: A]> => {
  const began = performance.now();
  const result = await work();
  return [(performance.now() - began) / 1_000, result];
};

/** With the blocks and connections of the upload. */
const storedDirectly = async ({ env }: Stack, { file }: Film, round: number): Promise<number> => {
  const service = BlobServiceClient.fromConnectionString(env.AZURE_STORAGE_CONNECTION_STRING ?? '');
  const blob = service.getContainerClient(env.BLOB_CONTAINER ?? 'renders').getBlockBlobClient(`bench/uploads/${round}`);
  const options = { blockSize: PUT_DEFAULTS.block_bytes, concurrency: newSlots().concurrency, maxSingleShotSize: 0 };
  const [seconds] = await timed(() => blob.uploadFile(file, options));
  await blob.delete();
  return seconds;
};

const askedWith =
  ({ base_url }: Stack, key: string) =>
  async (path: string, body?: object): Promise<t.TypeOf<typeof Upload>> => {
    const answer = await fetch(`${base_url}/v1/uploads${path}`, {
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const upload: unknown = await answer.json();
    if (!Upload.is(upload)) throw new Error(`${answer.status}: ${JSON.stringify(upload)}`);
    return upload;
  };

/** Until the service has all bytes. */
const uploaded = async (ask: ReturnType<typeof askedWith>, { file, size_bytes }: Film, name: string) => {
  const facts = { name, content_type: 'video/mp4', size_bytes };
  const { id, upload_url = '' } = await ask('', facts);
  const renewed = async () => E.left({ tag: 'interrupted' } as const);
  const stored = await putBlocks(
    { path: file, size_bytes, stored: [], url: upload_url, renewed },
    {
      ...PUT_DEFAULTS,
      ...{ clock: SYSTEM_CLOCK, slots: newSlots(), on_bytes: () => undefined, stop: new AbortController().signal },
    },
  );
  if (E.isLeft(stored)) throw new Error(JSON.stringify(stored.left));
  return await ask(`/${id}/complete`, {});
};

const inspected = async (ask: ReturnType<typeof askedWith>, id: string): Promise<void> => {
  for (;;) {
    const { status, faults } = await ask(`/${id}`);
    if (status === 'ready') return;
    if (status === 'refused') throw new Error(`the film was refused: ${JSON.stringify(faults)}`);
    await pause(LOOK_MS);
  }
};

/** The highest memory of each process, until the work ends. */
const highestMemory = async (stack: Stack, work: () => Promise<void>) => {
  const pids = COMPONENTS.map((name) => stack.component(name).pid() ?? 0);
  const memory = async () => (await processUsageOf(pids)).map(({ resident_bytes }) => resident_bytes / MIB);
  const before = await memory();
  let highest = before;
  let is_over = false;
  const watching = (async () => {
    while (!is_over) {
      const now = await memory();
      highest = highest.map((most, n) => Math.max(most, now[n] ?? 0));
      await pause(WATCH_MS);
    }
  })();
  try {
    await work();
  } finally {
    is_over = true;
    await watching;
  }
  return COMPONENTS.map((name, n) => ({ name, before: before[n] ?? 0, highest: highest[n] ?? 0 }));
};

const best = (seconds: readonly number[]): number => Math.min(...seconds);

/** Uploads of a large file, beside the same bytes that are written to Blob without the service. */
export const benchUploads = async (
  stack: Stack,
  _: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-uploads-'));
  try {
    const film = { file: join(folder, 'film.mp4'), size_bytes: uploadMiB() * MIB };
    await writeFilm(film.file, film.size_bytes);
    const ask = askedWith(stack, await newAccountKey(clients, 'Uploads'));
    const [direct, through, inspections]: [number[], number[], number[]] = [[], [], []];
    const memory = await highestMemory(stack, async () => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        direct.push(await storedDirectly(stack, film, round));
        const [seconds, { id }] = await timed(() => uploaded(ask, film, `film-${round}.mp4`));
        through.push(seconds);
        inspections.push((await timed(() => inspected(ask, id)))[0]);
      }
    });
    const rate = (seconds: number): string => `${Math.round(film.size_bytes / MIB / seconds)} MiB/s`;
    const share = best(direct) / best(through);
    return [
      [
        `uploads of ${film.size_bytes / MIB} MiB, best of ${ROUNDS}: the share of Blob's own rate`,
        `${share.toFixed(2)} (${rate(best(through))} of ${rate(best(direct))})`,
        'at least 0.8',
      ],
      ['  until the file is inspected', `${best(inspections).toFixed(1)} s more`, ''],
      ...memory.map(
        ({ name, before, highest }): BenchmarkResult => [
          `  memory of ${name}, with its child processes`,
          `${before.toFixed(0)} MiB before, ${highest.toFixed(0)} MiB at most`,
          name === 'stills' ? '' : 'flat',
        ],
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
