import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { decodeProjectDocument } from '../../domain/composition/project-document.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isProgrammingError } from '../../platform/process/programming-error.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import { environmentFault, type PreparationFault } from './preparation-fault.ts';

const ASK_AGAIN_MS = 250;
/** How long this read model may lag behind that of the command API, after a start or during a rebuild. */
const MISSING_FOR_MS = 30_000;
/** The maximum size of the cached versions, in characters of their JSON. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

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
 * aborts. A version never changes, so it is cached. Each use of the cache reads whether the project is erased.
 */
export const findVersion = (
  catalogue: Pick<Catalogue, 'projectVersion' | 'isErased'>,
  logger: Logger,
  clock: Clock,
): FindVersion => {
  const warn = throttledWarn(logger);
  const isErased = coalesceReads(catalogue.isErased);
  const cache = new LRUCache<string, { readonly project: ProjectDocument; readonly characters: number }>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ characters }) => characters,
  });

  const forget = (project_id: string): void => {
    for (const id of [...cache.keys()]) if (id.startsWith(`${project_id}:`)) cache.delete(id);
  };

  return async (project_id, version, signal) => {
    const id = projectVersionId(project_id, version);
    for (let missing_ms = 0; missing_ms <= MISSING_FOR_MS; ) {
      const cached = cache.get(id);
      let document: string | null = null;
      try {
        if (cached === undefined) document = await catalogue.projectVersion(project_id, version);
        if (document === null && (await isErased(project_id))) {
          forget(project_id);
          return E.left(ERASED);
        }
        if (cached !== undefined) return E.right(cached.project);
        missing_ms += ASK_AGAIN_MS;
      } catch (error) {
        if (isProgrammingError(error)) throw error;
        warn({ error, project_id, version }, 'the read model could not be read; trying again');
      }
      if (document !== null) {
        const project = decoded(document);
        if (E.isRight(project)) cache.set(id, { project: project.right, characters: document.length });
        return project;
      }
      await clock.sleep(ASK_AGAIN_MS, signal);
    }
    return E.left(environmentFault("the project's version could not be found", 'read_model'));
  };
};
