import { cp, link, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isTraversableByAll } from '../../platform/sandbox/enterable.ts';
import { sharedCacheFolder } from '../../platform/sandbox/kept-folder.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { FONT_PACKAGES } from './engine-fonts.ts';

export type ProgramFiles = {
  readonly root: string;
  readonly node: string;
  /** Readable paths. They never include the root itself, which may contain secrets. */
  readonly reads: readonly string[];
};

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CODE = ['package.json', 'domain', 'platform', 'engine'];
const PACKAGES = ['sharp', 'fontkitten', 'fp-ts', 'hyphen', 'io-ts', 'leven', ...FONT_PACKAGES];
const NODE = 'node';

const filesBelow = (root: string): readonly string[] => [...CODE, 'node_modules'].map((name) => resolve(root, name));

const Needs = t.partial({
  dependencies: t.record(t.string, t.string),
  optionalDependencies: t.record(t.string, t.string),
});

const needsOf = async (name: string): Promise<readonly string[]> => {
  const json = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
  const needs = Needs.decode(JSON.parse(json));
  return E.isLeft(needs) ? [] : Object.keys({ ...needs.right.dependencies, ...needs.right.optionalDependencies });
};

const withNeeds = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
  const all = new Set(names);
  for (const name of all) for (const need of await needsOf(name)) all.add(need);
  return all;
};

export const pathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Makes hard links, or copies if the target is on another disk. */
const copyTree = async (from: string, to: string): Promise<void> => {
  if (!(await stat(from)).isDirectory()) return await link(from, to).catch(async () => await cp(from, to));
  await mkdir(to, { recursive: true, mode: 0o755 });
  for (const name of await readdir(from)) await copyTree(join(from, name), join(to, name));
};

const makeCopy = async (folder: string): Promise<void> => {
  const fresh = `${folder}.${process.pid}`;
  try {
    for (const name of CODE) {
      await mkdir(join(fresh, name, '..'), { recursive: true, mode: 0o755 });
      await cp(join(ROOT, name), join(fresh, name), { recursive: true });
    }
    for (const name of await withNeeds(PACKAGES)) {
      const from = join(ROOT, 'node_modules', name);
      if (!(await pathExists(from))) continue;
      await mkdir(join(fresh, 'node_modules', name, '..'), { recursive: true, mode: 0o755 });
      await copyTree(from, join(fresh, 'node_modules', name));
    }
    await copyTree(process.execPath, join(fresh, NODE));
    // If another process was faster, its copy is used.
    await rename(fresh, folder).catch(() => undefined);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
};

/** Copies the code if the sandbox's user cannot read it, for example in a clone in root's home. */
export const programFiles = async ({ mode }: Sandbox, edition: string): Promise<ProgramFiles> => {
  const here = { root: ROOT, node: process.execPath, reads: filesBelow(ROOT) };
  if (mode !== 'filtered' || process.getuid?.() !== 0) return here;
  if ((await isTraversableByAll(join(ROOT, 'package.json'))) && (await isTraversableByAll(process.execPath)))
    return here;
  const kept = await sharedCacheFolder();
  if (kept === null) return here;
  const folder = join(kept, `code-${edition}`);
  if (!(await pathExists(folder))) await makeCopy(folder);
  return { root: folder, node: join(folder, NODE), reads: filesBelow(folder) };
};
