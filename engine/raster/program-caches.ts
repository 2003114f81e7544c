import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { sharedCacheFolder } from '../../platform/sandbox/kept-folder.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { SANDBOX_USERS } from '../../platform/sandbox/sandbox-users.ts';
import { fontFolders, fontVersions, linkFonts, writeFontsConf } from './fonts.ts';
import { NO_EDGE_PADDING } from './geometry.ts';
import { type ProgramFiles, pathExists, programFiles, ROOT } from './program-files.ts';
import type { RasterJob, TypesettingOptions } from './raster-job.ts';

export type ProgramCaches = {
  readonly program: string;
  readonly files: ProgramFiles;
  readonly env: Readonly<Record<string, string>>;
  /** fontconfig's cache of the engine's fonts; null if there are no caches. */
  readonly fonts: string | null;
  readonly faces: readonly string[];
  readonly reads: readonly string[];
};

const PROGRAM = 'engine/raster/main.ts';
const FILL_LIMIT_MS = 60_000;
const TEXT_STYLE: TypesettingOptions = {
  ...{ text: 'Ag', font_family: 'Noto Sans', font_size: 20, font_weight: 400, color: '#FFFFFF', line_height: 1.2 },
  ...{
    language: null,
    hyphenate: false,
    shrink_to_fit: false,
    padding: 0,
    background: null,
    outline: null,
    shadow: null,
  },
  align: 'left',
  vertical_align: 'top',
};
const BOX = { x: 0, y: 0, width: 100, height: 60 };
const PLACEMENT = { field: '', box: BOX, opacity: 1, rotation: 0 };

/** Draws one word, so that Node compiles the code and fontconfig caches the fonts. Contains no user data. */
const WARM_UP_JOB = (folder: string): RasterJob => ({
  ...{ ask: 'draw', animations: [], assets: {}, faces: {}, font_files: {}, folder },
  rasters: [
    {
      id: 'first',
      region: BOX,
      surround: NO_EDGE_PADDING,
      drawings: [{ kind: 'text', ...PLACEMENT, setting: TEXT_STYLE }],
    },
  ],
});

const filesBelow = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));

/** The caches depend on Node's version, the code and the fonts. */
const editionOf = async (): Promise<string> => {
  const hash = createHash('sha256').update(process.version);
  for (const folder of ['engine', 'domain/composition'])
    for (const file of (await filesBelow(join(ROOT, folder))).toSorted()) hash.update(await readFile(file));
  for (const font of await fontVersions()) hash.update(font);
  return hash.digest('hex').slice(0, 16);
};

/** Node's compile cache is readable only for its own user. This opens it to the sandbox users, under their ids. */
const shareWithSandboxes = async (programs: string): Promise<void> => {
  const own = `-${process.getuid?.()}`;
  for (const name of await readdir(programs)) {
    if (!name.endsWith(own)) continue;
    for (const file of await readdir(join(programs, name))) await chmod(join(programs, name, file), 0o644);
    const of = name.slice(0, -own.length);
    for (const uid of SANDBOX_USERS) await symlink(name, join(programs, `${of}-${uid}`)).catch(() => undefined);
  }
};

const FACES = 'faces';
const PROGRAMS = 'programs';

/** If another process was faster, its folder has the same content. */
const renameOnce = async (from: string, to: string): Promise<void> => {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
};

/**
 * Several processes may start at the same time on a new machine: each compiles into its own folder, and fontconfig
 * locks its cache.
 */
const fill = async (folder: string, { root, node }: ProgramFiles): Promise<void> => {
  const fonts = join(folder, 'fonts');
  await linkFonts(join(folder, FACES), root);
  await mkdir(fonts, { recursive: true });
  const own = await mkdtemp(join(folder, 'filling-'));
  try {
    const [drawing, programs] = [join(own, 'drawing'), join(own, PROGRAMS)];
    for (const created of [programs, drawing]) await mkdir(created);
    const conf = await writeFontsConf(drawing, fonts, [], [join(folder, FACES)]);
    await execa(node, [join(root, PROGRAM)], {
      input: `${JSON.stringify(WARM_UP_JOB(drawing))}\n`,
      env: { FONTCONFIG_FILE: conf, NODE_COMPILE_CACHE: programs, LC_ALL: 'C.UTF-8' },
      timeout: FILL_LIMIT_MS,
    });
    if (process.getuid?.() === 0) await shareWithSandboxes(programs);
    await renameOnce(programs, join(folder, PROGRAMS));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};

const findCaches = async (sandbox: Sandbox): Promise<ProgramCaches> => {
  const edition = await editionOf();
  const files = await programFiles(sandbox, edition);
  const program = join(files.root, PROGRAM);
  const kept = await sharedCacheFolder();
  if (kept === null) return { program, files, env: {}, fonts: null, faces: fontFolders(files.root), reads: [] };
  // The folder's name contains a hash of the path, because Node caches compiled code by path.
  const folder = join(kept, `raster-${edition}-${createHash('sha256').update(files.root).digest('hex').slice(0, 8)}`);
  const [fonts, programs, whole] = [join(folder, 'fonts'), join(folder, PROGRAMS), join(folder, 'whole')];
  if (!(await pathExists(whole))) {
    await fill(folder, files);
    await writeFile(whole, '');
    await removeOld(kept).catch(() => undefined);
  }
  // Updates the times, so that the folders do not count as unused.
  const now = new Date();
  for (const used of [folder, files.root])
    if (used.startsWith(kept)) await utimes(used, now, now).catch(() => undefined);
  return {
    program,
    files,
    env: { NODE_COMPILE_CACHE: programs },
    fonts,
    faces: [join(folder, FACES)],
    reads: [folder],
  };
};

/** Editions that were not used for longer are removed. */
const MAX_UNUSED_MS = 30 * 24 * 3_600_000;

const removeOld = async (kept: string): Promise<void> => {
  for (const name of await readdir(kept)) {
    const path = join(kept, name);
    const old = Date.now() - (await stat(path)).mtimeMs > MAX_UNUSED_MS;
    if (old && /^(raster|stills|code)-/.test(name)) await rm(path, { recursive: true, force: true });
  }
};

const caches_by_sandbox = new WeakMap<Sandbox, Promise<ProgramCaches>>();

export const programCaches = (sandbox: Sandbox): Promise<ProgramCaches> => {
  const cached = caches_by_sandbox.get(sandbox);
  if (cached !== undefined) return cached;
  const caches = findCaches(sandbox);
  caches_by_sandbox.set(sandbox, caches);
  caches.catch(() => caches_by_sandbox.delete(sandbox));
  return caches;
};
