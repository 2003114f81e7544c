import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LanguageFault } from './baseline.ts';

export type FaultCache = Map<string, readonly LanguageFault[]>;

/** Every cache key includes the rules and the packages, so that a change of these invalidates the cache. */
const RULES = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
const PACKAGES = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const VERSION = hash('sha256', [...RULES, PACKAGES].join('\0'));

export const cacheKey = (file: string, text: string): string => hash('sha256', [VERSION, file, text].join('\0'));

/** Empty if the file is missing or damaged. */
export const readCache = async (path: string): Promise<FaultCache> => {
  try {
    return new Map(JSON.parse(await readFile(path, 'utf8')) as [string, readonly LanguageFault[]][]);
  } catch {
    return new Map();
  }
};

export const writeCache = async (path: string, cache: FaultCache): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, JSON.stringify([...cache]));
  await rename(`${path}.${process.pid}`, path);
};
