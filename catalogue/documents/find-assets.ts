import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { type ProjectVersion, projectVersionId } from '../../domain/catalogue/entities.ts';
import { decodeProjectDocument } from '../../domain/composition/project-document.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { FindVersionWithAsset } from '../../read-models/catalogue/asset-versions.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { FindReadyUploads } from '../uploads/ready-uploads.ts';
import { type AssetSource, pathOfSource } from './asset-source.ts';
import type { FindAssets } from './resolve-document.ts';

export type FindAssetsDependencies = {
  readonly read_model: Pick<CatalogueReadModel, 'find'>;
  readonly findVersionWithAsset: FindVersionWithAsset;
  readonly blobs: Pick<BlobStore, 'exists'>;
  /** Ready uploads of the teams. They are kept for their full time again. */
  readonly findUploads: FindReadyUploads;
};

const CHECKED_AT_ONCE = 8;
/** Each unknown hash costs a query, and each unknown upload also a request to Blob. Anyone can invent them. */
const MAX_MISSES = 20;
/** Each version has a document of up to 256 KiB, which is decoded. */
const MAX_VERSIONS_READ = 50;

/** An asset of a version that this code cannot decode is not found. */
const assetsOf = ({ project_id, document }: ProjectVersion): readonly AssetSource[] => {
  const decoded = document === null ? null : decodeProjectDocument(JSON.parse(document));
  if (decoded === null || E.isLeft(decoded)) return [];
  return decoded.right.assets.map((asset) => ({ project_id, asset }));
};

/** Ready uploads. `skipped` after too many that are not found. */
const findSomeUploads = async (
  findUploads: FindReadyUploads,
  upload_ids: readonly string[],
  team_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly AssetSource[] | 'skipped'>> => {
  const found = new Map<string, readonly AssetSource[] | 'skipped'>();
  let misses = 0;
  for (let begin = 0; begin < upload_ids.length; begin += MAX_MISSES) {
    const some = upload_ids.slice(begin, begin + MAX_MISSES);
    if (misses >= MAX_MISSES) for (const id of some) found.set(id, 'skipped');
    else {
      const ready = await findUploads(some, team_ids);
      for (const [id, sources] of ready) found.set(id, sources);
      misses += some.length - ready.size;
    }
  }
  return found;
};

/**
 * Finds assets in one version of the own project, and in versions of projects of the teams. No blob is looked up by its
 * hash alone: a file of another team and a file that does not exist have the same answer. Rejects on store outage.
 *
 * @param own the project that the document is for; null for a new one
 */
export const openFindAssets =
  (
    { read_model, findVersionWithAsset, blobs, findUploads }: FindAssetsDependencies,
    team_ids: readonly string[],
    own: { readonly project_id: string; readonly version: number } | null,
  ): FindAssets =>
  async (sha256s, upload_ids) => {
    const found: AssetSource[] = [];
    const isFound = (sha256: string): boolean => found.some(({ asset }) => asset.sha256 === sha256);
    const own_version =
      own === null || own.version === 0
        ? null
        : await read_model.find('project_version', projectVersionId(own.project_id, own.version));
    if (own_version !== null) found.push(...assetsOf(own_version));
    const skipped: string[] = [];
    let [misses, versions] = [0, 0];
    for (const sha256 of sha256s) {
      if (isFound(sha256)) continue;
      if (misses >= MAX_MISSES || versions >= MAX_VERSIONS_READ) {
        skipped.push(sha256);
        continue;
      }
      const version = await findVersionWithAsset(team_ids, sha256);
      if (version === null) misses += 1;
      else {
        versions += 1;
        found.push(...assetsOf(version));
      }
    }
    const wanted = new Set(sha256s);
    const named = found.filter(({ asset }) => wanted.has(asset.sha256));
    const paths = [...new Set(named.map(pathOfSource))];
    const there = new Map(
      await pLimit(CHECKED_AT_ONCE).map(paths, async (path) => [path, await blobs.exists(path)] as const),
    );
    const present = Map.groupBy(
      named.filter((source) => there.get(pathOfSource(source)) === true),
      ({ asset }) => asset.sha256,
    );
    return new Map<string, readonly AssetSource[] | 'skipped'>([
      ...present,
      ...(await findSomeUploads(findUploads, upload_ids, team_ids)),
      ...skipped.map((sha256) => [sha256, 'skipped'] as const),
    ]);
  };
