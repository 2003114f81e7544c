const SHORT_CODE = /^[a-z][a-z0-9_]{0,39}$/;
const OTHER = 'other';

/**
 * Turns codes of the log into values of one label. The first `most` distinct codes stay as they are. Further codes and
 * texts that are not short codes become `other`, so that the label has a bounded number of values.
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
