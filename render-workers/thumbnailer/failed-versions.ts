import { LRUCache } from 'lru-cache';

const REMEMBERED = 10_000;
const REMEMBERED_MS = 3_600_000;

/** Versions whose thumbnail could not be rendered. This process remembers them for an hour. */
export type FailedVersions = {
  readonly has: (project_id: string, version: number) => boolean;
  readonly add: (project_id: string, version: number) => void;
};

export const failedVersions = (): FailedVersions => {
  const known = new LRUCache<string, true>({ max: REMEMBERED, ttl: REMEMBERED_MS });
  const keyOf = (project_id: string, version: number): string => `${project_id} ${version}`;
  return {
    has: (project_id, version) => known.has(keyOf(project_id, version)),
    add: (project_id, version) => {
      known.set(keyOf(project_id, version), true);
    },
  };
};
