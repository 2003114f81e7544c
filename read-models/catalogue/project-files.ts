import type { Db } from 'mongodb';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { foldedBelow } from '../checkpoint.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

/** References of a project to files. */
export type ProjectFiles = {
  readonly is_erased: boolean;
  /** The newest version; 0 before the first. */
  readonly version: number;
  /** Path of its name; null if the name is no payload, or its payload is gone. */
  readonly name: string | null;
  /** `made_at`: ms since the epoch; it is shown since then. */
  readonly thumbnail: { readonly path: string; readonly made_at: number } | null;
};

/** The read model at one moment. */
export type FoldedProjectFiles = {
  /** Every event of the catalogue below is folded. */
  readonly next: number;
  /** Existing projects by id. */
  readonly projects: ReadonlyMap<string, ProjectFiles>;
  /** Paths of documents by `<project_id>:<version>`; null if a document is no payload, or its payload is gone. */
  readonly documents: ReadonlyMap<string, string | null>;
};

/** A version of a project. */
export type ProjectVersionRef = { readonly project_id: string; readonly version: number };

const PARTITION = 0;

/** Rejects while the store does not answer. */
export const openProjectFiles = (db: Db) => {
  const serving = servingCatalogue(db);
  return async (
    project_ids: readonly string[],
    versions: readonly ProjectVersionRef[],
  ): Promise<FoldedProjectFiles> => {
    const { checkpoints, entities } = await serving();
    // First the checkpoint: everything below it is then in the documents.
    const next = foldedBelow(await checkpoints.findOne({ _id: PARTITION }, queryTimeout()));
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
