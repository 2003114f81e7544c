import { createHash } from 'node:crypto';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { sharedCacheFolder } from './kept-folder.ts';

/** The system's Python, because the bindings of libseccomp are a system package. */
export const PYTHON = '/usr/bin/python3';
export const CONFINE_SCRIPT = fileURLToPath(new URL('./confine.py', import.meta.url));

const EXPORT_MS = 10_000;

/** Writes the file atomically, because other processes write it too. */
const place = async (folder: string, bytes: Uint8Array): Promise<string> => {
  const file = join(folder, `filter-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.bpf`);
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, bytes);
  await rename(fresh, file);
  return file;
};

/** Writes the filter as BPF for this machine. Rejects if libseccomp's Python bindings are missing. */
export const systemCallFilter = async (): Promise<string> => {
  const { stdout } = await execa(PYTHON, ['-I', CONFINE_SCRIPT, 'filter'], {
    ...{ encoding: 'buffer', stdin: 'ignore', timeout: EXPORT_MS },
  });
  return await place((await sharedCacheFolder()) ?? (await mkdtemp(join(tmpdir(), 'video-rendering-filter-'))), stdout);
};
