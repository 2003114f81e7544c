import { within } from '../platform/process/within.ts';

const WRITE_TIMEOUT_MS = 5_000;

/** A write cannot be given up as a read can; it is not waited for any longer. */
export const inTime = <A>(write: Promise<A>): Promise<A> =>
  within(WRITE_TIMEOUT_MS, write, () => {
    throw new DOMException(`no answer within ${WRITE_TIMEOUT_MS} ms`, 'TimeoutError');
  });
