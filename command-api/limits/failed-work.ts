import type { FailedWorkLimits, LimitReached } from '../../domain/limits/failed-work.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';

const GIB = 1024 ** 3;

/** The error for an account whose failed renders have cost too much. */
export const tooMuchFailed = ({ of, until_ms }: LimitReached, limits: FailedWorkLimits, now_ms: number): ApiError => {
  const retry_after_s = Math.max(1, Math.ceil((until_ms - now_ms) / 1000));
  const most =
    of === 'cpu'
      ? `${limits.cpu_s_per_hour} s of CPU`
      : `${Math.round((limits.bytes_per_hour / GIB) * 100) / 100} GiB of fetched media`;
  const until = new Date(until_ms).toISOString().slice(0, 19);
  return {
    tag: 'rate_limited',
    message: `failed work: the renders of this account that failed have cost ${most}, as much as they may in an hour; look at why they fail, and ask again after ${until}Z (in ${retry_after_s} s)`,
    retry_after_s,
  };
};
