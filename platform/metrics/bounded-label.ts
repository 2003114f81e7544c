const SHORT_CODE = /^[a-z][a-z0-9_]{0,39}$/;
const OTHER = 'other';

/**
 * Turns codes of the log into values of one label: the first `most` of them as they are. What is no short code, and every
 * further one, is `other`, so that a label cannot grow without end, whatever stands in the log.
 */
export const boundedLabel = (most: number): ((code: string) => string) => {
  const known = new Set<string>();
  return (code) => {
    if (known.has(code)) return code;
    if (known.size >= most || !SHORT_CODE.test(code)) return OTHER;
    known.add(code);
    return code;
  };
};
