import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ProjectView } from '../answers.ts';
import { projectError } from '../api-errors/project-error.ts';
import {
  createProjectFromStarter,
  createProjectOverHttp,
  type NewProjectOverHttp,
  type ProjectWriter,
} from '../documents/write-projects.ts';
import type { Starters } from './starters.ts';

type NewProjectRequest = {
  readonly name: string | null;
  readonly document?: unknown;
  readonly starter: string | null;
};

const refused = (param: string, fault: string): E.Either<ApiError, never> =>
  E.left({ tag: 'invalid', code: 'invalid_field', param, message: `${param}: ${fault}` });

/** Creates a project from the document or the starter of a request. */
export const createNewProject = async (
  starters: Starters,
  writer: ProjectWriter,
  wanted: NewProjectOverHttp,
  { name, document, starter: starter_id }: NewProjectRequest,
): Promise<E.Either<ApiError, ProjectView>> => {
  if (starter_id === null) {
    if (document === undefined) return refused('document', 'is required, as an object, unless you name a starter');
    return E.mapLeft(projectError)(await createProjectOverHttp(writer, wanted, document, name));
  }
  if (document !== undefined) return refused('starter', 'must not be sent together with document');
  const starter = starters.get(starter_id);
  if (starter === undefined)
    return refused('starter', `is unknown; the starters are ${[...starters.keys()].join(', ')}`);
  return E.mapLeft(projectError)(await createProjectFromStarter(writer, wanted, starter, name));
};
