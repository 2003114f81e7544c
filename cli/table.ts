import Table from 'cli-table3';
import { shownText } from './screen.ts';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** What a cell may hold; null is shown as a dash. */
export type Cell = string | number | boolean | null;

/** A client's names must neither break the table nor move the cursor. */
export const cellText = (cell: Cell): string => (cell === null ? '-' : shownText(String(cell).replace(/[\n\t]/g, ' ')));

/** Rows under their headings, aligned, without lines and colours, so that it can be read, cut and pasted. */
export const tableText = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const table = new Table({
    head: [...headings],
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(row.map(cellText));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
};

const LAST_INSTANT_MS = 8_640_000_000_000_000;

/** `2026-11-21T13:14:15.123Z`; the number itself where a record has a time that no calendar has. */
export const timeText = (at_ms: number): string =>
  Math.abs(at_ms) <= LAST_INSTANT_MS ? new Date(at_ms).toISOString() : String(at_ms);
