import { filesOf } from '../hostile-file.ts';

export const svg = filesOf('svg', 'image', '.svg');

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/** 100 by 100 pixels. */
export const sized = (inside: string, before = ''): string =>
  `${before}<svg ${NAMESPACES} width="100" height="100">${inside}</svg>`;

export const unsized = (inside: string, before = ''): string => `${before}<svg ${NAMESPACES}>${inside}</svg>`;

export const withSize = (width: string, height: string, inside: string, more = ''): string =>
  `<svg ${NAMESPACES} width="${width}" height="${height}" ${more}>${inside}</svg>`;

/** Each element refers `count` times to the one before, which gives `count ** levels` copies of the first. */
export const doubled = (
  levels: number,
  count: number,
  make: (id: string, inside: string) => string,
  first: string,
  refer: (id: string) => string,
): string =>
  Array.from({ length: levels }, (_, level) =>
    make(`l${level + 1}`, Array.from({ length: count }, () => refer(`l${level}`)).join('')),
  ).reduce((all, one) => all + one, first);

export const nested = (open: string, close: string, depth: number, inside = ''): string =>
  open.repeat(depth) + inside + close.repeat(depth);
