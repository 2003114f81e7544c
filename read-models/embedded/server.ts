import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';

/**
 * Asks the server whether it is the embedded store (SecantusDB), which names itself in `buildInfo`. The answer is cached;
 * a failure is not. Rejects when the server does not answer.
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
