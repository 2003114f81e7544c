import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { pollStore } from '../../platform/read-store/poll-store.ts';
import type { ErasedEntities, ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';
import { type CatchUp, rejectingWhileBehind } from '../../read-models/catch-up.ts';
import type { FindUnlistedRenders, ProjectRender, ProjectRenders } from '../../read-models/renders/project-renders.ts';
import type { StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import type { EraseRefusal, RenderErasure } from '../../render-commands/erase-render.ts';
import { projectPrefix } from '../../schemas/blobs/paths.ts';
import { type ErasedSweeps, erasedSweeps } from '../sweeps/erased-sweeps.ts';
import type { EraseStep, ErasureStep } from '../sweeps/open-erasures.ts';
import { NOTHING_REMOVED } from '../sweeps/progress.ts';
import { removePage } from '../sweeps/remove-page.ts';

export type ProjectSweepDependencies = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly erasedProjects: ErasedEntities;
  readonly rendersOf: ProjectRenders;
  readonly unlistedOf: FindUnlistedRenders;
  readonly stored_files: Pick<StoredFiles, 'removeAllOfProject'>;
  /**
   * A restored store may lack renders that need the project's files, so the sweep waits until the store has caught up.
   */
  readonly catchUp: CatchUp;
  /** Appends the erasure of a render, without a wait for the fold. */
  readonly appendErasure: (erasure: RenderErasure) => Promise<E.Either<EraseRefusal, unknown>>;
  readonly clock: Clock;
  readonly warn: Warn;
};

const RENDERS_OF_A_STEP = 200;
const ERASED_AT_ONCE = 32;
const FOLD_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 50;
/** A partition may be blocked for days, so an erasure that is not folded is not appended again before this time. */
const AGAIN_MS = 86_400_000;
const MAX_APPENDED = 100_000;

/** Whether the append failed, so that the log may be unavailable. The step then ends, and the next pass continues. */
const isOfLog = ({ tag }: EraseRefusal): boolean => tag === 'not_appended' || tag === 'outcome_unknown';

/**
 * Where a step starts: at a position in the list of renders, or at a page of files. The list is read twice, `first` and
 * `again`.
 */
type Place = { readonly of: 'first' | 'again' | 'files'; readonly behind: string | null };

const placeAt = (from: string | null): Place => {
  const [, of, behind] = /^(first|again|files):(.*)$/s.exec(from ?? 'first:') ?? [];
  const known = of === 'again' || of === 'files' ? of : 'first';
  return { of: known, behind: behind === undefined || behind === '' ? null : behind };
};

const stepOf = (parts: ProjectSweepDependencies): EraseStep => {
  const { blobs, stored_files, appendErasure, clock, warn } = parts;
  const rendersOf = rejectingWhileBehind(parts.catchUp, parts.rendersOf);
  const unlistedOf = rejectingWhileBehind(parts.catchUp, parts.unlistedOf);
  const turn = pLimit(ERASED_AT_ONCE);
  const appended = new LRUCache<string, number>({ max: MAX_APPENDED });

  /** Erases a render. Returns whether the log then has the erasure; false for a running render, which is not erased. */
  const eraseOne = async (
    { erased }: ErasedEntity,
    { id, has_ended }: Omit<ProjectRender, 'position'>,
  ): Promise<boolean> => {
    if (!has_ended) return false;
    const appended_at = appended.get(id);
    if (appended_at !== undefined && clock.monotonic() - appended_at < AGAIN_MS) return true;
    const by = { actor: erased.by, causation_id: erased.event_id, correlation_id: null };
    const done = await appendErasure({ render_id: id, team_id: null, ...by });
    if (E.isRight(done)) {
      appended.set(id, clock.monotonic());
      return true;
    }
    if (isOfLog(done.left)) throw new Error(`${id} could not be erased: ${done.left.tag}`);
    warn({ render_id: id, refusal: done.left.tag }, 'a render of an erased project is not erased yet');
    return false;
  };

  /**
   * Waits until the read model shows the erasures; otherwise a repeat would append them again. The page is in order, so
   * few rows are enough.
   */
  const untilFolded = async (
    list: (count: number) => Promise<readonly ProjectRender[]>,
    ids: ReadonlySet<string>,
    others: number,
    signal: AbortSignal,
  ) =>
    await pollStore(async () => ((await list(others + 1)).some(({ id }) => ids.has(id)) ? null : true), {
      ...{ wait_ms: FOLD_WAIT_MS, every_ms: LOOK_EVERY_MS, clock, signal },
    });

  const eraseAll = async (
    project: ErasedEntity,
    page: readonly ProjectRender[],
    list: (count: number) => Promise<readonly ProjectRender[]>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const erased = await turn.map(page, async (render) => {
      signal.throwIfAborted();
      return (await eraseOne(project, render)) ? [render.id] : [];
    });
    const ids = new Set(erased.flat());
    if (ids.size === 0) return page.length === 0;
    const is_folded = (await untilFolded(list, ids, page.length - ids.size, signal)) !== null;
    signal.throwIfAborted();
    return is_folded && ids.size === page.length;
  };

  /**
   * Erases renders that the list does not show yet.
   *
   * @returns whether there were any
   */
  const hasUnlisted = async (project: ErasedEntity): Promise<boolean> => {
    const found = await unlistedOf(project.id);
    await turn.map(found, (render) => eraseOne(project, render));
    return found.length > 0;
  };

  const removeFiles = async (id: string, behind: string | null, signal: AbortSignal): Promise<ErasureStep> => {
    if (behind === null) await stored_files.removeAllOfProject(id);
    const { next, removed } = await removePage(blobs, projectPrefix(id), behind, signal, (path, error) =>
      warn({ error, path }, 'a file of an erased project cannot be removed'),
    );
    return { next: next === null ? null : `files:${next}`, removed };
  };

  return async (project, from, signal) => {
    const { of, behind } = placeAt(from);
    if (of === 'files') return await removeFiles(project.id, behind, signal);
    // Looks for unlisted renders before the list is read: if a name arrives meanwhile, its render moves to the list.
    const has_unlisted = behind === null && (await hasUnlisted(project));
    const list = (count: number) => rendersOf(project.id, behind, count);
    const page = await list(RENDERS_OF_A_STEP);
    const are_erased = await eraseAll(project, page, list, signal);
    if (page.length === RENDERS_OF_A_STEP)
      return { next: `${of}:${page.at(-1)?.position ?? ''}`, removed: NOTHING_REMOVED };
    // This step has read the whole list and erased everything, so the files can be removed.
    if (behind === null && are_erased && !has_unlisted) return await removeFiles(project.id, null, signal);
    // Renders before this position may remain, or may have been added late, so the list is read again once.
    return { next: behind !== null && of === 'first' ? 'again:' : null, removed: NOTHING_REMOVED };
  };
};

export const projectSweeps = (parts: ProjectSweepDependencies): ErasedSweeps =>
  erasedSweeps({
    ...{ names: ['erased_lately', 'erased_projects'], kind: 'projects', erased: parts.erasedProjects },
    ...{ step: stepOf(parts), clock: parts.clock, warn: parts.warn },
  });
