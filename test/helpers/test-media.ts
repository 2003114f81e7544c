import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const FOLDER = fileURLToPath(new URL('../../.local/test-media/', import.meta.url));
const LIMIT_BYTES = 512 * 2 ** 20;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

let build: Promise<string> | null = null;
const buildOf = (program: string): Promise<string> => {
  build ??= execa(program, ['-version']).then(({ stdout }) => sha256(stdout));
  return build;
};

/**
 * Names input files by their contents, because their paths differ between runs. Null if an argument names any other
 * file.
 */
const describeArguments = async (args: readonly string[]): Promise<string | null> => {
  const described: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (!arg.includes(tmpdir()) && !arg.startsWith('/')) described.push(arg);
    else if (args[index - 1] === '-i') described.push(sha256(await readFile(arg)));
    else return null;
  }
  return JSON.stringify(described);
};

const removeOldest = async (): Promise<void> => {
  const names = await readdir(FOLDER);
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(FOLDER, name), ...(await stat(join(FOLDER, name))) })),
  );
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (total <= LIMIT_BYTES) return;
    await rm(path, { force: true });
    total -= size;
  }
};

/**
 * Encodes a file with ffmpeg once for all tests and runs. The folder `.local/test-media` caches it by the build of
 * ffmpeg, the arguments and the contents of the inputs. Each test gets its own copy.
 */
export const encodeOnce = async (program: string, args: readonly string[], file: string): Promise<void> => {
  const described = await describeArguments(args);
  if (described === null) {
    await execa(program, [...args, file]);
    return;
  }
  const ending = extname(file);
  const kept = join(FOLDER, `${sha256(`${await buildOf(program)} ${described} ${ending}`)}${ending}`);
  const found = await copyFile(kept, file).then(
    () => true,
    () => false,
  );
  const now = new Date();
  if (found) return await utimes(kept, now, now).catch(() => undefined);
  await execa(program, [...args, file]);
  await mkdir(FOLDER, { recursive: true });
  const fresh = `${kept}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await copyFile(file, fresh);
  await rename(fresh, kept);
  // A fault is ignored, because another test file may remove the same cached file.
  await removeOldest().catch(() => undefined);
};
