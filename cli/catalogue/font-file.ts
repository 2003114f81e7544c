import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { LIMITS } from '../../domain/composition/limits.ts';
import type { FontFacts } from '../../domain/composition/references.ts';
import { reportOf } from '../fault.ts';
import { cliSandbox } from '../sandbox.ts';

const BUDGET_MS = 60_000;

export const readFontFacts = async (path: string): Promise<E.Either<string, FontFacts>> => {
  if ((await stat(path)).size > LIMITS.font_file_bytes) return E.left('is larger than 64 MiB');
  const sandbox = await cliSandbox();
  if (E.isLeft(sandbox)) return E.left(`cannot be checked: ${reportOf(sandbox.left).message}`);
  const { openRasterProcess } = await import('../../engine/raster/raster-process.ts');
  // The sandbox's user may not be able to read the caller's files, so the sandbox gets a copy.
  const folder = await mkdtemp(join(tmpdir(), 'renderctl-font-'));
  const file = join(folder, 'font');
  const limits = { signal: new AbortController().signal, budget_ms: BUDGET_MS, sandbox: sandbox.right };
  const rasterProcess = openRasterProcess(
    { assets: new Map([['font', file]]), families: new Map(), folder: null },
    () => limits,
  );
  try {
    await copyFile(path, file);
    const seen = await rasterProcess.inspect('family', file);
    if (E.isLeft(seen))
      return E.left('message' in seen.left ? `cannot be checked: ${seen.left.message}` : 'could not be read');
    if (seen.right.tag === 'family') return E.right({ font_family: seen.right.family, font_covers: seen.right.covers });
    return E.left(seen.right.tag === 'refused' ? seen.right.message : 'is not a readable font');
  } finally {
    await rasterProcess.close();
    await rm(folder, { recursive: true, force: true });
  }
};
