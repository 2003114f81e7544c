import type { Logger } from '../platform/logging/logger.ts';
import { messageOf } from '../platform/logging/message-of.ts';
import type { Warn } from '../platform/logging/throttled-warn.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { Readiness } from '../platform/process/readiness.ts';
import { runRepeatedly } from '../platform/process/repeatedly.ts';
import { NotExtended } from '../platform/proof-log/not-extended.ts';
import type { NotaryState } from '../read-models/notary/notary-notes.ts';
import type { Notary } from './notary.ts';

/** Interval for checking whether an operator requested a signature. */
const LOOK_MS = 1_000;

/** The interval between checks of the whole log, which is also checked once after each start. */
const CHECK_INTERVAL_MS = 24 * 60 * 60 * 1_000;
const CHECK_AGAIN_MS = 60_000;

const MS_PER_S = 1_000;

export type NotaryRounds = {
  readonly isStopped: () => boolean;
  /** When the whole log was last signed, in seconds since 1970; null before that. */
  readonly signedAt: () => number | null;
  /** When the whole log last matched its signatures, in seconds since 1970; null before that. */
  readonly checkedAt: () => number | null;
  readonly stop: () => Promise<void>;
};

/**
 * Signs at each interval and on request. If a record differs from what was signed, it signs nothing until a restart.
 */
export const startNotaryRounds = (deps: {
  readonly notary: Notary;
  readonly notes: Pick<NotaryState, 'read'>;
  readonly interval_ms: number;
  /** Checks the whole log. Null if the check was not done. Rejects with `NotExtended`, as signing does. */
  readonly check: () => Promise<number | null>;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly logger: Logger;
  readonly warn: Warn;
}): NotaryRounds => {
  const { notary, notes, clock, readiness, logger, warn } = deps;
  let stopped = false;
  let signed_at: number | null = null;
  let due_at = clock.monotonic();
  let answered: string | undefined;
  let checked_at: number | null = null;
  let check_at = clock.monotonic();

  const look = async (): Promise<void> => {
    if (stopped) return;
    const requestedToken = (await notes.read())?.asked;
    const now = clock.monotonic();
    if (requestedToken === answered && now < due_at) return;
    const entries = await notary.sign(requestedToken === answered);
    answered = requestedToken;
    due_at = now + deps.interval_ms;
    signed_at = clock.now() / MS_PER_S;
    if (entries > 0) logger.debug({ entries, size: notary.signed().size }, 'signed');
  };

  const check = async (): Promise<void> => {
    if (stopped || signed_at === null || clock.monotonic() < check_at) return;
    check_at = clock.monotonic() + CHECK_AGAIN_MS;
    const records = await deps.check();
    if (records === null) return;
    check_at = clock.monotonic() + CHECK_INTERVAL_MS;
    checked_at = clock.now() / MS_PER_S;
    logger.info({ records }, 'the whole log matches its signatures');
  };

  const onFailure =
    (failed: string) =>
    (error: unknown): void => {
      const reason = messageOf(error);
      if (!(error instanceof NotExtended)) {
        warn({ reason }, failed);
        return;
      }
      stopped = true;
      readiness.set('log', `signing has stopped: ${reason} (docs/evidence.md)`);
      logger.error({ reason }, 'signing has stopped');
    };

  const running = runRepeatedly(clock, LOOK_MS, look, onFailure('could not sign; trying again'));
  const checking = runRepeatedly(clock, LOOK_MS, check, onFailure('could not check the log; trying again'));
  return {
    isStopped: () => stopped,
    signedAt: () => signed_at,
    checkedAt: () => checked_at,
    stop: async () => {
      await Promise.all([running.stop(), checking.stop()]);
    },
  };
};
