import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../domain/composition/fault.ts';
import { decodeProjectDocument } from '../../domain/composition/project-document.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isProgrammingError } from '../../platform/process/programming-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import { environmentFault, type PreparationFault } from './preparation-fault.ts';

const ASK_AGAIN_MS = 250;
/** How long this read model may lag behind that of the command API, after a start or during a rebuild. */
const MISSING_FOR_MS = 30_000;

export type FindVersion = (
  project_id: string,
  version: number,
  signal: AbortSignal,
) => Promise<E.Either<PreparationFault, ProjectDocument>>;

const ERASED: PreparationFault = { code: 'project_erased', message: 'the project was erased', field: null };

const decoded = (document: string): E.Either<PreparationFault, ProjectDocument> => {
  const project = decodeProjectDocument(JSON.parse(document));
  return E.isRight(project)
    ? project
    : E.left({
        code: 'project_unreadable',
        message: `the project: ${project.left.map(faultText).join('; ')}`,
        field: null,
      });
};

/**
 * Waits without limit during a store outage, and for a limited time for a missing version. Rejects when `signal`
 * aborts.
 */
export const findVersion = (
  catalogue: Pick<Catalogue, 'projectVersion' | 'isErased'>,
  logger: Logger,
  clock: Clock,
): FindVersion => {
  const warn = throttledWarn(logger);
  return async (project_id, version, signal) => {
    for (let missing_ms = 0; missing_ms <= MISSING_FOR_MS; ) {
      let document: string | null = null;
      try {
        document = await catalogue.projectVersion(project_id, version);
        if (document === null && (await catalogue.isErased(project_id))) return E.left(ERASED);
        missing_ms += ASK_AGAIN_MS;
      } catch (error) {
        if (isProgrammingError(error)) throw error;
        warn({ error, project_id, version }, 'the read model could not be read; trying again');
      }
      if (document !== null) return decoded(document);
      await clock.sleep(ASK_AGAIN_MS, signal);
    }
    return E.left(environmentFault("the project's version could not be found", 'read_model'));
  };
};
