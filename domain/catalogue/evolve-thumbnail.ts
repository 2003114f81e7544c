import type { ProjectThumbnailMade } from './events.ts';
import { accepted, type CatalogueVerdict, type CatalogueView, ignored } from './verdict.ts';

/** The first still of a version counts, and none of an older version takes the place of a newer one's. */
export const thumbnailMade = (view: CatalogueView, event: ProjectThumbnailMade, at: number): CatalogueVerdict => {
  const { project_id, version, path, content_type, sha256, width, height } = event;
  const project = view('project', project_id);
  if (project === null) return ignored('project_unknown');
  if (version < 1 || version > project.version) return ignored('version_unknown');
  const shown = view('project_thumbnail', project_id);
  if (shown !== null && shown.version === version) return ignored('already_made');
  if (shown !== null && shown.version > version) return ignored('newer_one_made');
  const still = { path, content_type, sha256, width, height };
  return accepted({ kind: 'project_thumbnail', id: project_id, version, ...still, made_at: at });
};
