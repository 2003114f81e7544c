import { type ProjectVersion, projectVersionId } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

/** A version without its document, which may have a mebibyte. */
export type VersionRow = Omit<ProjectVersion, 'document'>;

/** These versions of a project, in no order. Rejects on store outage. */
export type FindVersionRows = (project_id: string, numbers: readonly number[]) => Promise<readonly VersionRow[]>;

export const openVersionRows = (db: ReadStore['db']): FindVersionRows => {
  const serving = servingCatalogue(db);
  return async (project_id, numbers) => {
    const _id = { $in: numbers.map((number) => projectVersionId(project_id, number)) };
    const versions = (await serving()).entities('project_version');
    const found = versions.find({ _id }, { projection: { document: 0 }, ...queryTimeout() });
    return (await found.toArray()).map(entityOf);
  };
};
