import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import type { ProjectRender, ProjectRenders } from '../../read-models/renders/project-renders.ts';
import type { EraseRefusal, Erasure } from '../../render-commands/erase-render.ts';
import { projectPrefix } from '../../schemas/blobs/paths.ts';
import { erasedSweeps } from '../sweeps/erased-sweeps.ts';
import { NOTHING_REMOVED, type Removed } from '../sweeps/progress.ts';
import { removePrefix } from '../sweeps/remove-prefix.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ProjectSweepParts = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedProjects: ErasedEntities;
  readonly rendersOf: ProjectRenders;
  readonly eraseRender: (erasure: Erasure) => Promise<E.Either<EraseRefusal, unknown>>;
  readonly clock: Clock;
  readonly warn: Warn;
};

const RENDERS_OF_A_PAGE = 500;
const ERASED_AT_ONCE = 8;

/** What an append that did not succeed leaves to another pass, which begins when the log may be there again. */
const isOfLog = ({ tag }: EraseRefusal): boolean => tag === 'not_appended' || tag === 'outcome_unknown';

/** Finishes what one project still has. Each step can be repeated, by another process and after a restore. */
const finishing = ({ blobs, rendersOf, eraseRender, warn }: ProjectSweepParts) => {
  const turn = pLimit(ERASED_AT_ONCE);

  /** Whether it is erased then; one that has not ended is not. */
  const eraseOne = async ({ erased }: ErasedEntity, { id, has_ended }: ProjectRender): Promise<boolean> => {
    if (!has_ended) return false;
    const by = { actor: erased.by, causation_id: erased.event_id, correlation_id: null };
    const done = await eraseRender({ render_id: id, team_id: null, ...by });
    if (E.isRight(done)) return true;
    if (isOfLog(done.left)) throw new Error(`${id} could not be erased: ${done.left.tag}`);
    warn({ render_id: id, refusal: done.left.tag }, 'a render of an erased project is not erased yet');
    return false;
  };

  const haveAllGone = async (project: ErasedEntity, signal: AbortSignal): Promise<boolean> => {
    let gone = true;
    for (let from: string | null = null; ; ) {
      const page = await rendersOf(project.id, from, RENDERS_OF_A_PAGE);
      const erased = await turn.map(page, async (render) => {
        signal.throwIfAborted();
        return await eraseOne(project, render);
      });
      gone &&= erased.every((is_erased) => is_erased);
      from = page.at(-1)?.position ?? null;
      if (from === null || page.length < RENDERS_OF_A_PAGE) return gone;
    }
  };

  return async (project: ErasedEntity, signal: AbortSignal): Promise<Removed> =>
    (await haveAllGone(project, signal))
      ? await removePrefix(blobs, projectPrefix(project.id), signal, (path, error) =>
          warn({ error, path }, 'a file of an erased project cannot be removed'),
        )
      : NOTHING_REMOVED;
};

/**
 * What follows from the erasure of projects: each render of theirs that has ended is erased, in the name of who erased the
 * project, and once none is left, which needed them until its end, their texts, assets and thumbnails go.
 */
export const projectSweeps = (parts: ProjectSweepParts): readonly Sweep[] =>
  erasedSweeps({
    ...{ names: ['erased_lately', 'erased_projects'], kind: 'projects', erased: parts.erasedProjects },
    ...{ finish: finishing(parts), clock: parts.clock, warn: parts.warn },
  });
