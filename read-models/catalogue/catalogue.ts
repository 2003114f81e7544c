import type { Project } from '../../domain/catalogue/entities.ts';
import type { Place } from '../../schemas/http/cursor.ts';
import { FIRST_MODEL_VERSION } from '../generations.ts';
import { type ListRequest, type Placed, readList } from '../lists.ts';
import { listPosition } from '../position.ts';
import { projectOf, teamProjects } from './codec.ts';
import type { ProjectDocumentRow } from './documents.ts';
import type { ServingCatalogue } from './model.ts';

/** The catalogue, as its readers ask for it. Every read rejects when the store does not answer. */
export type Catalogue = {
  /** False while the names of projects are being prepared for it, after an upgrade. */
  readonly areProjectsSearchable: () => Promise<boolean>;
  /** Up to `count` of a team behind a place; from the beginning where it is null. */
  readonly projectsPage: (
    wanted: ListRequest & { readonly team_id: string },
    from: Place | null,
    count: number,
  ) => Promise<readonly Placed<Project>[]>;
};

export const openCatalogue = (serving: ServingCatalogue): Catalogue => ({
  areProjectsSearchable: async () => (await serving()).model_version > FIRST_MODEL_VERSION,

  projectsPage: async ({ team_id, order, search }, from, count) => {
    const projects = (await serving()).entities('project');
    return await readList(teamProjects(team_id), { order, search }, from, count, async (pipeline, time) => {
      const found = await projects.aggregate<Omit<ProjectDocumentRow, 'search'>>(pipeline, time).toArray();
      return found.map((document) => ({
        position: listPosition(document.created_at, document._id),
        element: projectOf({ ...document, search: [] }),
      }));
    });
  },
});
