/** Code points; both ends are included. */
export type CodePointRange = readonly [first: number, last: number];

const BASE = 36;
const LAST_CODE_POINT = 0x10ffff;

const partOf = (gap: number, more: number): string =>
  `${gap.toString(BASE)}${more === 0 ? '' : `:${more.toString(BASE)}`}`;

/**
 * Encodes a set of code points as text, such as `1o:2m 5`, in base 36. Each part is a range, in ascending order. The
 * part has the distance from the end of the previous range, and after a colon the number of further code points.
 */
export const rangesText = (code_points: Iterable<number>): string => {
  const parts: string[] = [];
  let end = 0;
  let range: { readonly first: number; last: number } | null = null;
  const close = (): void => {
    if (range === null) return;
    parts.push(partOf(range.first - end, range.last - range.first));
    end = range.last;
  };
  for (const code of [...new Set(code_points)].sort((a, b) => a - b)) {
    if (range !== null && code === range.last + 1) range.last = code;
    else {
      close();
      range = { first: code, last: code };
    }
  }
  close();
  return parts.join(' ');
};

const PART = /^([0-9a-z]{1,5})(?::([0-9a-z]{1,5}))?$/;

/** Decodes `rangesText`. The text may come from a hostile file: ranges after the first fault are dropped. */
export const codePointRangesOf = (text: string): readonly CodePointRange[] => {
  const ranges: CodePointRange[] = [];
  let end = 0;
  for (const part of text.split(' ')) {
    const [, gap = '', more = '0'] = PART.exec(part) ?? [];
    const first = end + Number.parseInt(gap, BASE);
    const last = first + Number.parseInt(more, BASE);
    if (!(last <= LAST_CODE_POINT)) break;
    ranges.push([first, last]);
    end = last;
  }
  return ranges;
};

/** @param ranges ascending */
export const containsCodePoint = (ranges: readonly CodePointRange[], code: number): boolean => {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] ?? [0, -1];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
};
