import * as E from 'fp-ts/lib/Either.js';
import type { StoredAsset } from '../../domain/composition/assets.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { decodeProjectFile, type ProjectDocument, resolveAssets } from '../../domain/composition/project-document.ts';
import type { FontFacts } from '../../domain/composition/references.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';
import { isObject } from '../../schemas/http/shapes.ts';
import type { LocalAsset } from '../asset-files.ts';
import { type AssetEntry, kindOf, readAssetEntry } from './asset-entries.ts';

/**
 * A file that a project has, as its document describes it. Or a file of an upload: then `blob` is its path, and the
 * project is null.
 */
export type AssetSource =
  | { readonly project_id: string; readonly asset: StoredAsset }
  | { readonly project_id: null; readonly asset: StoredAsset; readonly blob: string };

/** The path of its bytes. */
export const pathOfSource = (source: AssetSource): string =>
  source.project_id === null ? source.blob : assetPath(source.project_id, source.asset.sha256);

/** By hash, and by the id of an upload. */
export type FoundAssets = ReadonlyMap<string, readonly AssetSource[] | 'skipped'>;

/** The files that the caller may use. `skipped` if too many others were unknown. */
export type FindAssets = (sha256s: readonly string[], upload_ids: readonly string[]) => Promise<FoundAssets>;

/** `sources` has the file of each asset, which may be in another project. */
export type ResolvedDocument = {
  readonly document: ProjectDocument;
  readonly sources: readonly AssetSource[];
  /** Files of this machine, for a document from a starter. */
  readonly files?: readonly LocalAsset[];
};

const UNKNOWN_HASH =
  'is the hash of no asset of your teams; send the file again, or check the hash against the assets of the project';

const UNKNOWN_UPLOAD = 'is no upload of your teams, or is not ready: complete it, and wait until its status is ready';

const SKIPPED_HASH = 'was not looked up, because too many other hashes of the document are unknown';

type Found = { readonly source: AssetSource | null; readonly faults: readonly Fault[] };

const foundFor = (entry: AssetEntry, found: FoundAssets): Found => {
  const key = entry.upload ?? entry.sha256;
  if (key === null) return { source: null, faults: [] };
  const named_by = entry.upload === null ? 'sha256' : 'upload';
  const faultAt = (message: string): Found => ({
    source: null,
    faults: [{ path: `${entry.path}.${named_by}`, message }],
  });
  const sources = found.get(key) ?? [];
  if (sources === 'skipped') return faultAt(SKIPPED_HASH);
  const [first] = sources;
  if (first === undefined) return faultAt(entry.upload === null ? UNKNOWN_HASH : UNKNOWN_UPLOAD);
  const kind = kindOf(entry);
  const source = sources.find(({ asset }) => asset.kind === kind);
  if (source !== undefined || kind === null) return { source: source ?? null, faults: [] };
  const message = `is ${kind}, but the file with this ${named_by} is stored as ${first.asset.kind}`;
  return { source: null, faults: [{ path: `${entry.path}.kind`, message }] };
};

/** Any valid name: only `id` and `kind` of a project file's asset matter here. */
const PLACEHOLDER = 'asset';

const fileEntry = ({ id, kind }: AssetEntry) => ({
  ...(id === undefined ? {} : { id }),
  ...(kind === undefined ? {} : { kind }),
  file: PLACEHOLDER,
});

const inOrder = (faults: readonly Fault[]): readonly Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values(),
];

/**
 * Decodes a document that comes by HTTP. The facts of a file come from a stored version that has it, and never from the
 * document. So a client cannot choose, for example, a content type.
 *
 * @param name replaces the name in the document; null keeps it
 * @returns on the left all faults at once
 */
export const resolveDocument = async (
  json: unknown,
  name: string | null,
  findAssets: FindAssets,
): Promise<E.Either<readonly Fault[], ResolvedDocument>> => {
  const named = isObject(json) && name !== null ? { ...json, name } : json;
  const sent = isObject(named) && Array.isArray(named.assets) ? named.assets : [];
  const read = sent.length > LIMITS.assets ? [] : sent.map(readAssetEntry);
  const hashes = new Set(read.flatMap(({ entry }) => entry?.sha256 ?? []));
  const uploads = new Set(read.flatMap(({ entry }) => entry?.upload ?? []));
  const is_local = hashes.size === 0 && uploads.size === 0;
  const known: FoundAssets = is_local ? new Map() : await findAssets([...hashes], [...uploads]);
  const stored = new Map<string, StoredAsset>();
  const fonts = new Map<string, FontFacts>();
  const sources: AssetSource[] = [];
  const faults: Fault[] = [];
  const entries = read.map(({ entry, faults: of_entry }, index) => {
    faults.push(...of_entry);
    if (entry === null) return sent[index];
    const { source, faults: of_source } = foundFor(entry, known);
    faults.push(...of_source);
    if (source !== null && typeof entry.id === 'string') {
      const { id } = entry;
      const asset = { ...source.asset, id, file_name: entry.file_name ?? source.asset.file_name };
      stored.set(id, asset);
      sources.push(source);
      if (asset.kind === 'font' && asset.font_family !== null)
        fonts.set(id, { font_family: asset.font_family, font_covers: asset.font_covers });
    }
    return fileEntry(entry);
  });
  const decoded = decodeProjectFile(
    isObject(named) && sent.length > 0 && read.length > 0 ? { ...named, assets: entries } : named,
    fonts,
  );
  if (E.isLeft(decoded)) return E.left(inOrder([...decoded.left, ...faults]));
  if (faults.length > 0) return E.left(inOrder(faults));
  return E.map((document: ProjectDocument) => ({ document, sources }))(resolveAssets(decoded.right, stored));
};
