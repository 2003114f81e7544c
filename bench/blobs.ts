import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../platform/configuration/parts.ts';
import { freePort } from '../stack/process/ports.ts';
import { blobServer } from '../stack/servers/blob.ts';
import { ROOT } from '../stack/servers/tools.ts';
import type { BenchmarkResult } from './figures.ts';

const ROUNDS = 5;
const IN_A_ROUND = 4_000;
const AT_ONCE = 16;
const PAYLOAD = Buffer.alloc(1_000, 'payload ');

const withAzurite = async <A>(main: string | null, work: (blobs: BlobStore) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-blobs-'));
  const port = await freePort();
  const server = blobServer({ folder, port, env: {} });
  const [journaled = '', ...args] = server.process.args;
  const azurite = execa(process.execPath, [main ?? journaled, ...args], { cwd: folder, reject: false });
  try {
    for (let is_ready = false; !is_ready; ) is_ready = await server.process.ready().catch(() => false);
    const configuration = decodeConfiguration(server.env, { blobs: BLOB_STORE });
    if (E.isLeft(configuration)) throw new Error(configuration.left.join('\n'));
    const blobs = openBlobStore(configuration.right.blobs);
    await blobs.ensureContainer();
    return await work(blobs);
  } finally {
    azurite.kill('SIGKILL');
    await azurite;
    await rm(folder, { recursive: true, force: true });
  }
};

/** Payloads per second, and the slowest payload in ms. */
const storeRound = async (blobs: BlobStore): Promise<{ readonly per_s: number; readonly longest_ms: number }> => {
  const limit = pLimit(AT_ONCE);
  let longest_ms = 0;
  const began = performance.now();
  const one = async (): Promise<void> => {
    const from = performance.now();
    await blobs.putPayload('bench/payload', PAYLOAD, 'text/plain');
    longest_ms = Math.max(longest_ms, performance.now() - from);
  };
  await Promise.all(Array.from({ length: IN_A_ROUND }, () => limit(one)));
  return { per_s: Math.round((IN_A_ROUND * 1_000) / (performance.now() - began)), longest_ms: Math.round(longest_ms) };
};

/** Alternates between an Azurite with a journaled index and a standard one, which saves its index every 5 s. */
export const benchBlobs = (): Promise<readonly BenchmarkResult[]> =>
  withAzurite(null, (journaled) =>
    withAzurite(join(ROOT, 'node_modules', 'azurite', 'dist', 'src', 'blob', 'main.js'), async (plain) => {
      const figures: BenchmarkResult[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        const [own, as_it_comes] = [await storeRound(journaled), await storeRound(plain)];
        figures.push([
          `payloads stored in Azurite, ${round * IN_A_ROUND} in it: with a journal of its index, and as it comes`,
          `${own.per_s}/s, longest ${own.longest_ms} ms; ${as_it_comes.per_s}/s, longest ${as_it_comes.longest_ms} ms`,
          '',
        ]);
      }
      return figures;
    }),
  );
