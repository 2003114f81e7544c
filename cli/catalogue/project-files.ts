import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { LocalAsset } from '../../catalogue/asset-files.ts';
import type { LocalProject } from '../../catalogue/project-import.ts';
import type { AssetFile } from '../../domain/composition/assets.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { decodeLeniently } from '../../domain/composition/lenient-decode.ts';
import { decodeProjectFile } from '../../domain/composition/project-document.ts';
import type { CliFault } from '../fault.ts';
import { contentTypeOf, endingsOf } from './asset-types.ts';
import { fontFamily } from './font-file.ts';

const ASSET_LIMIT_BYTES = 2 * 1024 * 1024 * 1024;

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);

const reasonOf = (error: unknown): string => {
  const code = errorCode(error);
  return code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'you may not read it' : code;
};

/** Far above the size of any project, white space included. */
const FILE_LIMIT_BYTES = 8 * 1024 * 1024;

const readJson = async (path: string): Promise<E.Either<CliFault, unknown>> => {
  try {
    const found = await stat(path);
    // A pipe or a device has no end, and a size of 0.
    if (!found.isFile()) return E.left({ tag: 'unreadable_file', path, message: 'it is not a file' });
    if (found.size > FILE_LIMIT_BYTES)
      return E.left({ tag: 'unreadable_file', path, message: 'it is larger than 8 MiB' });
    // Some editors begin a file with a byte order mark.
    return E.right(JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, '')));
  } catch (error) {
    const message = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : reasonOf(error);
    return E.left({ tag: 'unreadable_file', path, message });
  }
};

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
};

/** A file below the folder as an asset, hashed; on the left its fault, to be reported with its name. */
export const localAsset = async (folder: string, asset: AssetFile): Promise<E.Either<string, LocalAsset>> => {
  const { id, kind, file } = asset;
  const content_type = contentTypeOf(file, kind);
  if (content_type === null)
    return E.left(
      `is not the name of ${kind === 'video' || kind === 'font' ? 'a' : 'an'} ${kind}; such files end in ${endingsOf(kind)}`,
    );
  try {
    const path = await realpath(join(folder, file));
    if (relative(await realpath(folder), path).startsWith('..'))
      return E.left('leads out of the folder of the project file');
    const found = await stat(path);
    const size_bytes = found.size;
    if (!found.isFile()) return E.left('is not a file');
    if (size_bytes === 0) return E.left('is empty');
    if (size_bytes > ASSET_LIMIT_BYTES) return E.left('is larger than 2 GiB');
    const sha256 = await sha256Of(path);
    const family = kind === 'font' ? await fontFamily(path) : E.right(null);
    if (E.isLeft(family)) return family;
    const stored = { id, kind, sha256, size_bytes, content_type, file_name: basename(file), font_family: family.right };
    return E.right({ path, stored });
  } catch (error) {
    return E.left(`${reasonOf(error)}: ${file}`);
  }
};

/** The files that the project names, as far as it is valid: those of an invalid project are checked, too. */
const localAssets = async (
  folder: string,
  json: unknown,
): Promise<{ readonly faults: readonly Fault[]; readonly assets: readonly LocalAsset[] }> => {
  const faults: Fault[] = [];
  const assets: LocalAsset[] = [];
  for (const [index, { id, kind, file }] of (decodeLeniently(json).assets ?? []).entries()) {
    if (id === undefined || kind === undefined || file === undefined) continue;
    const local = await localAsset(folder, { id, kind, file });
    if (E.isLeft(local)) faults.push({ path: `assets[${index}].file`, message: local.left });
    else assets.push(local.right);
  }
  return { faults, assets };
};

const familiesOf = (assets: readonly LocalAsset[]): ReadonlyMap<string, string> =>
  new Map(assets.flatMap(({ stored: { id, font_family } }) => (font_family === null ? [] : [[id, font_family]])));

const projectFilePath = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ? join(path, 'project.json') : path;
};

/**
 * Reads a project from a folder that holds `project.json`, or from such a file, and everything that it names.
 *
 * @returns on the left every fault at once, each with its path in the document
 */
export const readProject = async (folder_or_file: string): Promise<E.Either<CliFault, LocalProject>> => {
  const path = await projectFilePath(folder_or_file);
  const json = await readJson(path);
  if (E.isLeft(json)) return json;
  const { faults, assets } = await localAssets(dirname(path), json.right);
  const file = decodeProjectFile(json.right, familiesOf(assets));
  if (E.isLeft(file)) return E.left({ tag: 'invalid_project', path, faults: [...file.left, ...faults] });
  return faults.length > 0
    ? E.left({ tag: 'invalid_project', path, faults })
    : E.right({ path, file: file.right, assets });
};
