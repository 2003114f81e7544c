import type { Db } from 'mongodb';
import type { Project } from '../../domain/catalogue/entities.ts';
import { projectOf } from '../../read-models/catalogue/codec.ts';
import type { ProjectDocumentRow } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { inTime } from '../read-store/in-time.ts';
import { sharedRead } from '../read-store/shared-read.ts';
import type { Access, ReachedTeam } from './access.ts';

/** Ids of ours are far shorter; what is longer is not even asked for. */
const LONGEST_ID = 128;

export type ReachedProject = { readonly project: Project; readonly team: ReachedTeam };

/** The project as it stands now; null when it does not exist, and likewise when the key does not reach it. */
export type Projects = (project_id: string, access: Access) => Promise<ReachedProject | null>;

export const openProjects = (db: Db, generation: () => Promise<number>): Projects => {
  // Many renders of one project are requested at a time.
  const read = sharedRead(async (_id) => {
    const { entities } = catalogueCollections(await generation());
    return await db.collection<ProjectDocumentRow>(entities.project).findOne({ _id }, inTime());
  });
  return async (project_id, access) => {
    if (project_id.length > LONGEST_ID) return null;
    const found = await read(project_id);
    const team = found === null ? undefined : access.teams.get(found.team_id);
    if (found === null || team === undefined) return null;
    return { project: projectOf(found), team };
  };
};
