import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';

/**
 * Whether the server is the embedded store (SecantusDB), by its answer to `buildInfo`. The answer is cached, a failure
 * is not. Rejects on store outage.
 */
export const embeddedServerCheck = (db: Db): (() => Promise<boolean>) => {
  let answer: Promise<boolean> | null = null;
  return () => {
    answer ??= db
      .admin()
      .command({ buildInfo: 1 }, queryTimeout())
      .then(
        (info) => 'secantusVersion' in info,
        (error: unknown) => {
          answer = null;
          throw error;
        },
      );
    return answer;
  };
};
