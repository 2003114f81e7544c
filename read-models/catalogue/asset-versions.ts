import { assetKey } from '../../domain/catalogue/asset-keys.ts';
import type { ProjectVersion } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

/**
 * Any version of a project of these teams that has an asset with this SHA-256; null without one. Versions that an older
 * projector folded are not found. Rejects on store outage.
 */
export type FindVersionWithAsset = (team_ids: readonly string[], sha256: string) => Promise<ProjectVersion | null>;

export const openAssetVersions = (db: ReadStore['db']): FindVersionWithAsset => {
  const serving = servingCatalogue(db);
  return async (team_ids, sha256) => {
    const keys = team_ids.map((team_id) => assetKey(team_id, sha256));
    const versions = (await serving()).entities('project_version');
    const found = await versions.findOne({ asset_keys: { $in: keys } }, queryTimeout());
    return found === null ? null : entityOf(found);
  };
};
