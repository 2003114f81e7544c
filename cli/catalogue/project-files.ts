import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { type LocalAsset, sourceEndsOf } from '../../catalogue/asset-files.ts';
import type { LocalProject } from '../../catalogue/project-import.ts';
import type { AssetFile } from '../../domain/composition/assets.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { contentTypeOf, extensionFault, FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import { filmFaults } from '../../domain/composition/film-faults.ts';
import { compose } from '../../domain/composition/final-composition.ts';
import { faultsInDocument } from '../../domain/composition/flat-project.ts';
import type { ShownTimes } from '../../domain/composition/layer-times.ts';
import { decodeLeniently, type LenientAsset } from '../../domain/composition/lenient-decode.ts';
import { decodeProjectFile, type ProjectDocument, resolveAssets } from '../../domain/composition/project-document.ts';
import type { FontFacts } from '../../domain/composition/references.ts';
import { trimFaults } from '../../domain/composition/source-end-rules.ts';
import type { ImageProperties, MediaProperties } from '../../engine/media/media-properties.ts';
import { isAnimatedAvif } from '../../engine/raster/animated-avif.ts';
import { fileHead } from '../../platform/process/file-head.ts';
import type { CliFault } from '../fault.ts';
import { readFontFacts } from './font-file.ts';
import type { InspectedMedia } from './media-look.ts';
import { ANIMATED_AVIF_WARNING, ANIMATED_PNG_WARNING, isAnimatedPng, svgWarnings } from './picture-warnings.ts';

/** Number of files that are hashed concurrently. */
const READ_AT_ONCE = 4;

const ASSET_LIMIT_BYTES = 2 * 1024 * 1024 * 1024;

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);

const reasonOf = (error: unknown): string => {
  const code = errorCode(error);
  return code === 'ENOENT' ? 'the file does not exist' : code === 'EACCES' ? 'you have no permission to read it' : code;
};

/** The maximum size of a project file, much larger than any project needs. */
const FILE_LIMIT_BYTES = 8 * 1024 * 1024;

const jsonFault = (path: string, error: unknown): string => {
  if (!(error instanceof SyntaxError)) return reasonOf(error);
  // An error of the parser is no help with a file that was never meant as JSON.
  return extname(path).toLowerCase() === '.json'
    ? `it is not JSON: ${error.message}`
    : 'it is not a project: give a folder with a project.json, or that file';
};

const readJson = async (path: string): Promise<E.Either<CliFault, unknown>> => {
  try {
    const found = await stat(path);
    // A pipe or a device has the size 0 and no end.
    if (!found.isFile()) return E.left({ tag: 'unreadable_file', path, message: 'it is not a file' });
    if (found.size > FILE_LIMIT_BYTES)
      return E.left({ tag: 'unreadable_file', path, message: 'it is larger than 8 MiB' });
    // Some editors begin a file with a byte order mark.
    return E.right(JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, '')));
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path, message: jsonFault(path, error) });
  }
};

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
};

/** Hashes a file below the folder. Left: its fault, as a message that follows the file's name. */
export const localAsset = async (
  folder: string,
  asset: AssetFile,
  readFont: MediaInspection['readFont'],
): Promise<E.Either<string, LocalAsset>> => {
  const { id, kind, file } = asset;
  const content_type = contentTypeOf(file, kind);
  if (content_type === null) return E.left(extensionFault(file, kind));
  try {
    const path = await realpath(join(folder, file));
    if (relative(await realpath(folder), path).startsWith('..'))
      return E.left('is outside the folder of the project file');
    const found = await stat(path);
    const size_bytes = found.size;
    if (!found.isFile()) return E.left('is not a file');
    if (size_bytes === 0) return E.left(`is empty: ${FILE_REMEDIES.incomplete}`);
    if (size_bytes > ASSET_LIMIT_BYTES) return E.left('is larger than 2 GiB');
    const sha256 = await sha256Of(path);
    const facts = kind === 'font' ? await readFont(path) : E.right({ font_family: null, font_covers: null });
    if (E.isLeft(facts)) return facts;
    const stored = { id, kind, sha256, size_bytes, content_type, file_name: basename(file), ...facts.right };
    return E.right({ path, stored });
  } catch (error) {
    return E.left(`cannot be read: ${reasonOf(error)}`);
  }
};

type Placed = { readonly index: number; readonly name: string; readonly asset: LocalAsset };

const nameOf = ({ id, file }: Pick<AssetFile, 'id' | 'file'>): string => `"${id}" (${file})`;

/** Hashes the files of the project. If the document is invalid, this still checks the files of its valid assets. */
const localAssets = async (
  folder: string,
  assets: readonly LenientAsset[],
  readFont: MediaInspection['readFont'],
): Promise<{ readonly faults: readonly Fault[]; readonly found: readonly Placed[] }> => {
  const slots = pLimit(READ_AT_ONCE);
  const read = await Promise.all(
    assets.map(async ({ id, kind, file }, index) => {
      if (id === undefined || kind === undefined || file === undefined) return null;
      const name = nameOf({ id, file });
      return { index, name, local: await slots(() => localAsset(folder, { id, kind, file }, readFont)) };
    }),
  );
  const faults: Fault[] = [];
  const found: Placed[] = [];
  for (const { index, name, local } of read.filter((one) => one !== null)) {
    if (E.isLeft(local)) faults.push({ path: `assets[${index}].file`, message: `${name} ${local.left}` });
    else found.push({ index, name, asset: local.right });
  }
  return { faults, found };
};

const fontsOf = (assets: readonly LocalAsset[]): ReadonlyMap<string, FontFacts> =>
  new Map(
    assets.flatMap(({ stored: { id, font_family, font_covers } }) =>
      font_family === null ? [] : [[id, { font_family, font_covers }]],
    ),
  );

/** An SVG is searched for problems only in its first bytes; few files are larger. */
const SVG_HEAD_BYTES = 8 * 1024 * 1024;
const PICTURE_HEAD_BYTES = 1024 * 1024;

/** Whether the file is an SVG depends on its content, not on the file extension. */
const warningsOf = (head: Buffer, { has_text, pages }: ImageProperties, families: ReadonlySet<string>) => {
  if (has_text) return svgWarnings(head.toString('utf8'), families);
  if (pages > 1) return [];
  return [
    ...(isAnimatedPng(head) ? [ANIMATED_PNG_WARNING] : []),
    ...(isAnimatedAvif(head) ? [ANIMATED_AVIF_WARNING] : []),
  ];
};

const BEGINS_AGAIN = 'is several recordings in one file, and only the first one plays; convert it to MP4 (H.264)';

const mediaWarnings = async (
  found: readonly Placed[],
  media: ReadonlyMap<string, MediaProperties>,
): Promise<readonly Fault[]> => {
  const families = new Set(found.flatMap(({ asset }) => asset.stored.font_family ?? []));
  const slots = pLimit(READ_AT_ONCE);
  const warned = await Promise.all(
    found.map(async ({ index, name, asset: { path, stored } }) => {
      const properties = media.get(stored.id);
      const warning = (message: string): Fault => ({ path: `assets[${index}].file`, message: `${name} ${message}` });
      if (properties === undefined || properties.kind === 'font') return [];
      if (properties.kind !== 'image') return properties.begins_again === true ? [warning(BEGINS_AGAIN)] : [];
      const head = await slots(() => fileHead(path, properties.has_text ? SVG_HEAD_BYTES : PICTURE_HEAD_BYTES));
      return warningsOf(head, properties, families).map(warning);
    }),
  );
  return warned.flat();
};

const projectFilePath = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ? join(path, 'project.json') : path;
};

const endOf = (found: InspectedMedia | null): number | null => {
  const properties = found !== null && E.isRight(found) ? found.right : null;
  return properties?.kind === 'video' || properties?.kind === 'audio' ? properties.duration_s : null;
};

export const withDuration = (asset: LocalAsset, found: InspectedMedia | null): LocalAsset => {
  const duration_s = endOf(found);
  return duration_s === null ? asset : { ...asset, stored: { ...asset.stored, duration_s } };
};

export type FilmFindings = { readonly faults: readonly Fault[]; readonly warnings: readonly Fault[] };

const NOTHING_FOUND: FilmFindings = { faults: [], warnings: [] };

export type MediaInspection = {
  /** Both facts are null if this machine does not read fonts. */
  readonly readFont: (path: string) => Promise<E.Either<string, FontFacts | UnreadFont>>;
  /** Properties in the order of the assets; null for an asset that was not inspected. */
  readonly inspect: (assets: readonly LocalAsset[]) => Promise<E.Either<CliFault, readonly (InspectedMedia | null)[]>>;
  /** @param media by asset id */
  readonly films: (document: ProjectDocument, media: ReadonlyMap<string, MediaProperties>) => FilmFindings;
};

type UnreadFont = { readonly [F in keyof FontFacts]: null };

export const NO_INSPECTION: MediaInspection = {
  readFont: readFontFacts,
  inspect: async (assets) => E.right(assets.map(() => null)),
  films: () => NOTHING_FOUND,
};

/** The service inspects the files after their upload, so this machine needs no programs for it. */
export const REMOTE_INSPECTION: MediaInspection = {
  ...NO_INSPECTION,
  readFont: async () => E.right({ font_family: null, font_covers: null }),
};

/** A local project. Media properties are by asset id. */
export type ProjectOnDisk = LocalProject & {
  /** The JSON of the project file, without added default values. */
  readonly source: object;
  readonly media: ReadonlyMap<string, MediaProperties>;
  readonly warnings: readonly Fault[];
  /** Times of the main composition; null if it has faults. */
  readonly layers: readonly ShownTimes[] | null;
};

/**
 * Reads a project from a `project.json` or its folder, with all files that it names.
 *
 * @returns on the left all faults, each with its path in the document. If only media have faults, both the project and the faults are on the right.
 * The import ignores them if the latest version is the same project.
 */
export const readProject = async (
  folder_or_file: string,
  inspection: MediaInspection = NO_INSPECTION,
): Promise<E.Either<CliFault, ProjectOnDisk>> => {
  const path = await projectFilePath(folder_or_file);
  const json = await readJson(path);
  if (E.isLeft(json)) return json;
  const lenient = decodeLeniently(json.right);
  const { faults, found } = await localAssets(dirname(path), lenient.assets ?? [], inspection.readFont);
  const looked = await inspection.inspect(found.map(({ asset }) => asset));
  if (E.isLeft(looked)) return looked;
  const in_files = looked.right;
  const assets = found.map(({ asset }, at) => withDuration(asset, in_files[at] ?? null));
  const media_faults: Fault[] = [];
  const media = new Map<string, MediaProperties>();
  for (const [at, { index, name, asset }] of found.entries()) {
    const seen = in_files[at] ?? null;
    if (seen === null) continue;
    if (E.isLeft(seen)) media_faults.push({ path: `assets[${index}].file`, message: `${name} ${seen.left}` });
    else media.set(asset.stored.id, seen.right);
  }
  media_faults.push(...faultsInDocument(trimFaults(lenient, sourceEndsOf(assets)), lenient));
  const file = decodeProjectFile(json.right, fontsOf(assets));
  const other_faults = E.isLeft(file) ? [...file.left, ...faults] : faults;
  if (E.isLeft(file) || other_faults.length > 0)
    return E.left({ tag: 'invalid_project', path, faults: [...other_faults, ...media_faults] });
  const document = resolveAssets(file.right, new Map(assets.map(({ stored }) => [stored.id, stored])));
  if (E.isRight(document)) media_faults.push(...filmFaults(document.right));
  const films = E.isLeft(document) || media_faults.length > 0 ? NOTHING_FOUND : inspection.films(document.right, media);
  const warnings = [...(await mediaWarnings(found, media)), ...films.warnings];
  const all_faults = [...media_faults, ...films.faults];
  const source = { ...Object(json.right) };
  const composed = E.isLeft(document) ? null : compose(document.right, null, {}, 'to_be_fetched');
  const layers = composed === null || E.isLeft(composed) ? null : composed.right.times;
  return E.right({ path, source, file: file.right, assets, media, media_faults: all_faults, warnings, layers });
};
