import { randomBytes } from 'node:crypto';

/** https://www.w3.org/TR/trace-context/#traceparent-header, version 00; ids of zeros are not valid. */
const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const traceParent = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && FORM.test(header)
    ? header
    : `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
