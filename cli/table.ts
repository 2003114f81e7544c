import Table from 'cli-table3';
import { escapeControlCharacters } from './screen.ts';

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

export type Cell = string | number | boolean | null;

/** Names from clients must not break the table or move the cursor. */
export const cellText = (cell: Cell): string =>
  cell === null ? '-' : escapeControlCharacters(String(cell).replace(/[\n\t]/g, ' '));

/** Aligned columns without lines or colours. */
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

export const timeText = (at_ms: number): string =>
  Math.abs(at_ms) <= LAST_INSTANT_MS ? new Date(at_ms).toISOString() : String(at_ms);
