import type { Db } from 'mongodb';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { nextOffsetToFold } from '../checkpoint.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

export type ProjectFiles = {
  readonly is_erased: boolean;
  readonly version: number;
  /** Path of the name's payload; null if the project has none, or if it is deleted. */
  readonly name: string | null;
  readonly thumbnail: { readonly path: string; readonly made_at: number } | null;
};

export type ProjectFilesSnapshot = {
  /** Every catalogue event below this offset is folded. */
  readonly next: number;
  readonly projects: ReadonlyMap<string, ProjectFiles>;
  /** Paths of the document payloads by `<project_id>:<version>`; null if a version has none, or if it is deleted. */
  readonly documents: ReadonlyMap<string, string | null>;
};

export type ProjectVersionRef = { readonly project_id: string; readonly version: number };

const PARTITION = 0;

/** Rejects on store outage. */
export const openProjectFiles = (db: Db) => {
  const serving = servingCatalogue(db);
  return async (
    project_ids: readonly string[],
    versions: readonly ProjectVersionRef[],
  ): Promise<ProjectFilesSnapshot> => {
    const { checkpoints, entities } = await serving();
    // The checkpoint is read first: the documents then include every event below it.
    const next = nextOffsetToFold(await checkpoints.findOne({ _id: PARTITION }, queryTimeout()));
    const _id = { $in: [...project_ids] };
    const of_versions = { $in: versions.map(({ project_id, version }) => projectVersionId(project_id, version)) };
    const [projects, thumbnails, documents] = await Promise.all([
      entities('project').find({ _id }, queryTimeout()).toArray(),
      entities('project_thumbnail').find({ _id }, queryTimeout()).toArray(),
      entities('project_version').find({ _id: of_versions }, queryTimeout()).toArray(),
    ]);
    const shown_by = new Map(thumbnails.map(entityOf).map(({ id, path, made_at }) => [id, { path, made_at }]));
    return {
      next,
      projects: new Map(
        projects.map(entityOf).map(({ id, version, created_with, erased }) => {
          const [name, thumbnail] = [created_with?.path ?? null, shown_by.get(id) ?? null];
          return [id, { is_erased: erased !== undefined, version, name, thumbnail }];
        }),
      ),
      documents: new Map(documents.map(entityOf).map(({ id, payload }) => [id, payload?.path ?? null])),
    };
  };
};
