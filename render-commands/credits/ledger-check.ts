import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ledgerLagError } from './credit-errors.ts';
import type { Ledger } from './ledger.ts';

/** How long a new process waits for the ledger's first watermark. */
const FIRST_REPORT_MS = 3_000;
const REPORT_PAUSE_MS = 100;
const MS_PER_S = 1_000;

/**
 * Checks how far the ledger lags behind the log, in the partition of a render. A stalled partition does not affect
 * others. Holds and leases cover its unfolded events; they end only after the partition continues.
 *
 * @returns null if the lag is at most `most_lag_s`
 */
export const ledgerCheck = (
  ledger: Pick<Ledger, 'lag'>,
  most_lag_s: number,
  clock: Clock,
): ((render_id: string) => Promise<ApiError | null>) => {
  let has_report = false;
  return async (render_id) => {
    for (const end = clock.monotonic() + FIRST_REPORT_MS; ; await clock.sleep(REPORT_PAUSE_MS)) {
      const lag_ms = (await ledger.lag())?.(render_id) ?? Number.POSITIVE_INFINITY;
      if (lag_ms <= most_lag_s * MS_PER_S) {
        has_report = true;
        return null;
      }
      if (!has_report && clock.monotonic() < end) continue;
      return ledgerLagError(lag_ms);
    }
  };
};
