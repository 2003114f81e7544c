import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retryUntilAnswered } from '../../platform/read-store/until-answered.ts';

const REMEMBERED = 10_000;

export type ThumbnailVersions = {
  /**
   * Whether the project's thumbnail shows this version or a later one. Waits without limit while the store is
   * unavailable or behind the log. Rejects when the signal aborts.
   */
  readonly hasReached: (project_id: string, version: number, signal: AbortSignal) => Promise<boolean>;
  readonly markShown: (project_id: string, version: number) => void;
};

/** @param versionShown looks up the version of the project's thumbnail: 0 without one; rejects during a store outage */
export const openThumbnailVersions = (
  versionShown: (project_id: string) => Promise<number>,
  logger: Logger,
  clock: Clock,
): ThumbnailVersions => {
  const answered = retryUntilAnswered(logger, clock, 'could not read a thumbnail from the read model; trying again');
  const known = new LRUCache<string, number>({ max: REMEMBERED });
  const markShown = (project_id: string, version: number): void => {
    known.set(project_id, Math.max(version, known.get(project_id) ?? 0));
  };
  return {
    hasReached: async (project_id, version, signal) => {
      if ((known.get(project_id) ?? 0) >= version) return true;
      const shown = await answered(() => versionShown(project_id), signal);
      markShown(project_id, shown);
      return shown >= version;
    },
    markShown,
  };
};
