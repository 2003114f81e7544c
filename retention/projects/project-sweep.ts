import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ErasedProject, ErasedProjects } from '../../read-models/catalogue/erased-projects.ts';
import type { ProjectRender, ProjectRenders } from '../../read-models/renders/project-renders.ts';
import type { EraseRefusal, Erasure } from '../../render-commands/erase-render.ts';
import { projectPrefix } from '../../schemas/blobs/paths.ts';
import { eachPage } from '../sweeps/list-pages.ts';
import { NOTHING_REMOVED, plus, type Removed } from '../sweeps/progress.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type ProjectSweepParts = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedProjects: ErasedProjects;
  readonly rendersOf: ProjectRenders;
  readonly eraseRender: (erasure: Erasure) => Promise<E.Either<EraseRefusal, unknown>>;
  readonly clock: Clock;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;
/** After which a render that ended is erased. */
const OFTEN_MS = 5_000;
const PROJECTS_OF_A_PAGE = 100;
const RENDERS_OF_A_PAGE = 500;
const ERASED_AT_ONCE = 8;

/** What an append that did not succeed leaves to another pass, which begins when the log may be there again. */
const isOfLog = ({ tag }: EraseRefusal): boolean => tag === 'not_appended' || tag === 'outcome_unknown';

/** Finishes what one project still has. Each step can be repeated, by another process and after a restore. */
const finishing = ({ blobs, rendersOf, eraseRender, warn }: ProjectSweepParts) => {
  const turn = pLimit(ERASED_AT_ONCE);

  /** Whether it is erased then; one that has not ended is not. */
  const eraseOne = async ({ erased }: ErasedProject, { id, has_ended }: ProjectRender): Promise<boolean> => {
    if (!has_ended) return false;
    const by = { actor: erased.by, causation_id: erased.event_id, correlation_id: null };
    const done = await eraseRender({ render_id: id, team_id: null, ...by });
    if (E.isRight(done)) return true;
    if (isOfLog(done.left)) throw new Error(`${id} could not be erased: ${done.left.tag}`);
    warn({ render_id: id, refusal: done.left.tag }, 'a render of an erased project is not erased yet');
    return false;
  };

  const haveAllGone = async (project: ErasedProject, signal: AbortSignal): Promise<boolean> => {
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

  /** Its texts, assets and thumbnails, which its renders needed until their end. */
  const removeFiles = async ({ id }: ErasedProject, signal: AbortSignal): Promise<Removed> => {
    let all = NOTHING_REMOVED;
    const pages = (from: string | null, until: AbortSignal) => blobs.list(projectPrefix(id), from, until);
    await eachPage(pages, signal, async (found) => {
      const one = await removeBlobs(blobs, found, signal, (path, error) =>
        warn({ error, path }, 'a file of an erased project cannot be removed'),
      );
      all = plus(all, one);
    });
    return all;
  };

  return async (project: ErasedProject, signal: AbortSignal): Promise<Removed> =>
    (await haveAllGone(project, signal)) ? await removeFiles(project, signal) : NOTHING_REMOVED;
};

/**
 * What follows from the erasure of projects: each render of theirs that has ended is erased, in the name of who erased the
 * project, and once none is left, their files go. Those erased within a day are looked at again and again, as renders of
 * theirs may run; all others once a day, as a restored store or Blob may have brought something back.
 */
export const projectSweeps = (parts: ProjectSweepParts): readonly Sweep[] => {
  const finish = finishing(parts);
  const sweep = (name: Sweep['name'], every_ms: number, since: () => number): Sweep => ({
    name,
    every_ms,
    page: async (from, signal) => {
      const projects = await parts.erasedProjects(since(), from, PROJECTS_OF_A_PAGE);
      let all = NOTHING_REMOVED;
      for (const project of projects) all = plus(all, await finish(project, signal));
      const next = projects.length < PROJECTS_OF_A_PAGE ? null : (projects.at(-1)?.position ?? null);
      return { next, removed: all.removed === 0 ? {} : { projects: all } };
    },
  });
  return [
    sweep('erased_lately', OFTEN_MS, () => parts.clock.now() - DAY_MS),
    sweep('erased_projects', DAY_MS, () => 0),
  ];
};
