import { withTimeout } from '../platform/process/within.ts';

const WRITE_TIMEOUT_MS = 5_000;

/** A write cannot be aborted like a read, so after the timeout the caller only stops waiting. */
export const withWriteTimeout = <A>(write: Promise<A>): Promise<A> =>
  withTimeout(WRITE_TIMEOUT_MS, write, () => {
    throw new DOMException(`no answer within ${WRITE_TIMEOUT_MS} ms`, 'TimeoutError');
  });
