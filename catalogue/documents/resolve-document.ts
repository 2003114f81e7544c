import * as E from 'fp-ts/lib/Either.js';
import type { StoredAsset } from '../../domain/composition/assets.ts';
import { distinctFaults, type Fault } from '../../domain/composition/fault.ts';
import { filmFaults } from '../../domain/composition/film-faults.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import {
  decodeProjectFile,
  type ProjectDocument,
  type ProjectFile,
  resolveAssets,
} from '../../domain/composition/project-document.ts';
import type { FontFacts } from '../../domain/composition/references.ts';
import { MAX_FETCHED_URLS } from '../../domain/composition/remote-media.ts';
import { isObject } from '../../schemas/http/shapes.ts';
import type { LocalAsset } from '../asset-files.ts';
import type { UploadFault } from '../uploads/create-upload.ts';
import { type FetchedUrls, urlKey } from '../uploads/document-urls.ts';
import type { UrlSource } from '../uploads/fetch-upload.ts';
import { type AssetEntry, kindOf, type ReadEntry, readAssetEntry } from './asset-entries.ts';
import type { AssetSource } from './asset-source.ts';

/** By hash, and by the id of an upload. */
export type FoundAssets = ReadonlyMap<string, readonly AssetSource[] | 'skipped'>;

/** The files that the caller may use. `skipped` if too many others were unknown, or of other projects. */
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

const SKIPPED =
  'was not looked up, because too many other files of the document are unknown or of other projects; correct those first, or name fewer projects';

const MANY_URLS = `has too many URLs: at most ${MAX_FETCHED_URLS} assets of a document may have one; upload the others`;

const NOT_FETCHED: FetchedUrls = { files: new Map(), faults: new Map(), pending: 0 };

export type DocumentFault =
  | { readonly tag: 'document_refused'; readonly faults: readonly Fault[] }
  /** URLs of the document are still being fetched. */
  | { readonly tag: 'assets_pending'; readonly pending: number }
  | { readonly tag: 'fetch_refused'; readonly fault: UploadFault };

/** Null without a URL, and without a kind, which another fault names. */
const urlSourceOf = (entry: AssetEntry): UrlSource | null => {
  const kind = kindOf(entry);
  return entry.url === null || kind === null ? null : { kind, url: entry.url, name: entry.file_name };
};

type Found = { readonly source: AssetSource | null; readonly faults: readonly Fault[] };

const foundFor = (entry: AssetEntry, found: FoundAssets, fetched: FetchedUrls): Found => {
  const source_url = urlSourceOf(entry);
  if (source_url !== null) {
    const [file] = fetched.files.get(urlKey(source_url)) ?? [];
    const fault = fetched.faults.get(urlKey(source_url));
    const faults = fault === undefined ? [] : [{ path: `${entry.path}.url`, message: fault }];
    return { source: file ?? null, faults };
  }
  const key = entry.upload ?? entry.sha256;
  if (key === null) return { source: null, faults: [] };
  const named_by = entry.upload === null ? 'sha256' : 'upload';
  const faultAt = (message: string): Found => ({
    source: null,
    faults: [{ path: `${entry.path}.${named_by}`, message }],
  });
  const sources = found.get(key) ?? [];
  if (sources === 'skipped') return faultAt(SKIPPED);
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

type Assembled = {
  readonly decoded: E.Either<readonly Fault[], ProjectFile>;
  readonly faults: readonly Fault[];
  readonly stored: ReadonlyMap<string, StoredAsset>;
  readonly sources: readonly AssetSource[];
};

/** Decodes the document with the files that are found. */
const assemble = (named: unknown, read: readonly ReadEntry[], found: FoundAssets, fetched: FetchedUrls): Assembled => {
  const sent = isObject(named) && Array.isArray(named.assets) ? named.assets : [];
  const stored = new Map<string, StoredAsset>();
  const fonts = new Map<string, FontFacts>();
  const sources: AssetSource[] = [];
  const faults: Fault[] = [];
  const entries = read.map(({ entry, faults: of_entry }, index) => {
    faults.push(...of_entry);
    if (entry === null) return sent[index];
    const { source, faults: of_source } = foundFor(entry, found, fetched);
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
  return { decoded, faults, stored, sources };
};

const faultsIn = ({ decoded, faults }: Assembled): readonly Fault[] =>
  distinctFaults([...(E.isLeft(decoded) ? decoded.left : []), ...faults]);

const refused = (faults: readonly Fault[]): E.Either<DocumentFault, never> =>
  E.left({ tag: 'document_refused', faults });

/**
 * Decodes a document that comes by HTTP. The facts of a file come from a stored version that has it, and never from the
 * document. So a client cannot choose, for example, a content type. URLs are fetched only for a document without other
 * faults.
 *
 * @param name replaces the name in the document; null keeps it
 * @returns on the left all faults at once
 */
export const resolveDocument = async (
  json: unknown,
  name: string | null,
  findAssets: FindAssets,
  fetchUrls: (sources: readonly UrlSource[]) => Promise<E.Either<UploadFault, FetchedUrls>>,
): Promise<E.Either<DocumentFault, ResolvedDocument>> => {
  const named = isObject(json) && name !== null ? { ...json, name } : json;
  const sent = isObject(named) && Array.isArray(named.assets) ? named.assets : [];
  const read = sent.length > LIMITS.assets ? [] : sent.map(readAssetEntry);
  const hashes = new Set(read.flatMap(({ entry }) => entry?.sha256 ?? []));
  const uploads = new Set(read.flatMap(({ entry }) => entry?.upload ?? []));
  const is_local = hashes.size === 0 && uploads.size === 0;
  const found: FoundAssets = is_local ? new Map() : await findAssets([...hashes], [...uploads]);
  const urls = new Map(
    read.flatMap(({ entry }) => {
      const source = entry === null ? null : urlSourceOf(entry);
      return source === null ? [] : [[urlKey(source), source] as const];
    }),
  );
  let assembled = assemble(named, read, found, NOT_FETCHED);
  if (urls.size > MAX_FETCHED_URLS) return refused([...faultsIn(assembled), { path: 'assets', message: MANY_URLS }]);
  // Texts in a font that is not fetched yet cannot be checked.
  const has_font = [...urls.values()].some(({ kind }) => kind === 'font');
  const hopeless = assembled.faults.length > 0 || (E.isLeft(assembled.decoded) && !has_font);
  if (urls.size > 0 && !hopeless) {
    const fetched = await fetchUrls([...urls.values()]);
    if (E.isLeft(fetched)) return E.left({ tag: 'fetch_refused', fault: fetched.left });
    const { pending } = fetched.right;
    if (pending > 0) return E.left({ tag: 'assets_pending', pending });
    assembled = assemble(named, read, found, fetched.right);
  }
  const { decoded, faults, stored, sources } = assembled;
  if (E.isLeft(decoded) || faults.length > 0) return refused(faultsIn(assembled));
  const document = resolveAssets(decoded.right, stored);
  if (E.isLeft(document)) return refused(document.left);
  const in_films = filmFaults(document.right);
  return in_films.length > 0 ? refused(in_films) : E.right({ document: document.right, sources });
};
