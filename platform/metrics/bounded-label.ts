const SHORT_CODE = /^[a-z][a-z0-9_]{0,39}$/;
const OTHER = 'other';

/** Bounds the values of a label: the first `most` distinct short codes stay, and other texts become `other`. */
export const boundedLabel = (most: number): ((code: string) => string) => {
  const known = new Set<string>();
  return (code) => {
    if (known.has(code)) return code;
    if (known.size >= most || !SHORT_CODE.test(code)) return OTHER;
    known.add(code);
    return code;
  };
};
