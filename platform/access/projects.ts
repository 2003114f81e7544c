import type { NamedProject, Project } from '../../domain/catalogue/entities.ts';
import { BlobFault } from '../blob-store/blob-store.ts';
import { coalesceReads } from '../read-store/shared-read.ts';
import type { Access, AccessibleTeam } from './access.ts';

/** A longer id is not looked up, because all valid ids are far shorter. */
const LONGEST_ID = 128;

export type AccessibleProject = { readonly project: NamedProject; readonly team: AccessibleTeam };

/**
 * Thrown while the blob store has not returned the text of the project yet. A client without access to the team gets
 * "not found" instead.
 */
export class ProjectPending extends BlobFault {
  readonly team_id: string;
  constructor({ id, team_id }: Pick<Project, 'id' | 'team_id'>) {
    super('unavailable', id, `the blob store has not served the text of ${id} yet`);
    this.team_id = team_id;
  }
}

/** Null if the project does not exist, is hidden, or belongs to a team that the key cannot access. */
export type Projects = (project_id: string, access: Pick<Access, 'teams'>) => Promise<AccessibleProject | null>;

/** @param catalogue rejects with `ProjectPending`, and when the store does not answer */
export const openProjects = (catalogue: {
  readonly project: (project_id: string) => Promise<NamedProject | null>;
}): Projects => {
  // Many renders of one project are requested at the same time, so they share one look-up.
  const read = coalesceReads(catalogue.project);
  return async (project_id, access) => {
    if (project_id.length > LONGEST_ID) return null;
    const project = await read(project_id).catch((error: unknown) => {
      if (error instanceof ProjectPending && !access.teams.has(error.team_id)) return null;
      throw error;
    });
    const team = project === null ? undefined : access.teams.get(project.team_id);
    return project === null || team === undefined ? null : { project, team };
  };
};
