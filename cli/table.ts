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

/** The value of a cell; null is shown as a dash. */
export type Cell = string | number | boolean | null;

/** A client's names must not break the table or move the cursor. */
export const cellText = (cell: Cell): string => (cell === null ? '-' : shownText(String(cell).replace(/[\n\t]/g, ' ')));

/** Rows under their headings, aligned, without lines and colours, for reading and for copying. */
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

/** `2026-11-21T13:14:15.123Z`; the number itself if a record's time is out of the date range. */
export const timeText = (at_ms: number): string =>
  Math.abs(at_ms) <= LAST_INSTANT_MS ? new Date(at_ms).toISOString() : String(at_ms);
