import { TILE_WIDTH } from '../merkle/growing-tree.ts';

/** Paths below the log's prefix, as in C2SP's tlog-tiles (https://c2sp.org/tlog-tiles). */

const DIGITS = 1_000;

const three = (n: number): string => String(n).padStart(3, '0');

/** The path for an index: 1234067 becomes x001/x234/067. */
const indexPath = (index: number): string => {
  const groups = [three(index % DIGITS)];
  for (let rest = Math.floor(index / DIGITS); rest > 0; rest = Math.floor(rest / DIGITS))
    groups.unshift(`x${three(rest % DIGITS)}`);
  return groups.join('/');
};

/** Adds the width to the path of a partial tile or bundle. A full one has the width 256. */
const withWidth = (path: string, width: number): string => (width === TILE_WIDTH ? path : `${path}.p/${width}`);

export const tilePath = (level: number, index: number, width: number = TILE_WIDTH): string =>
  withWidth(`tile/${level}/${indexPath(index)}`, width);

export const entriesPath = (index: number, width: number = TILE_WIDTH): string =>
  withWidth(`tile/entries/${indexPath(index)}`, width);
