import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';

/** One row of a file. Rows count from 1 below the heading, lines from 1 at the heading. Null: an empty cell. */
export type BatchRow = { readonly row: number; readonly line: number; readonly cells: readonly (string | null)[] };

export type CsvSheet = { readonly columns: readonly string[]; readonly rows: readonly BatchRow[] };

export const MAX_BATCH_ROWS = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;
const LONGEST_ROW_BYTES = 1024 * 1024;

const Cells = t.array(nullable(t.string));

/**
 * Office programs use the separator of the machine's locale, so this finds it in the heading. Field keys contain no
 * separators.
 */
const delimiterOf = (bytes: Buffer): string => {
  const heading =
    bytes
      .subarray(0, 64 * 1024)
      .toString('utf8')
      .split(/[\r\n]/, 1)[0] ?? '';
  return [',', ';', '\t'].find((delimiter) => heading.includes(delimiter)) ?? ',';
};

const unreadable = (path: string, message: string): E.Either<CliFault, never> =>
  E.left({ tag: 'unreadable_file', path, message });

const bytesOf = async (path: string): Promise<E.Either<CliFault, Buffer>> => {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return unreadable(path, 'it is a folder');
    if (found.size > MAX_BYTES) return unreadable(path, 'it is larger than 64 MiB; split it');
    const bytes = await readFile(path);
    if (bytes.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004')))
      return unreadable(path, 'it is a spreadsheet or an archive; save it as "CSV UTF-8"');
    if (!isUtf8(bytes) || bytes.includes(0)) return unreadable(path, 'it is not UTF-8; save it as "CSV UTF-8"');
    return E.right(bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return unreadable(
      path,
      code === 'ENOENT'
        ? 'the file does not exist'
        : code === 'EACCES'
          ? 'you have no permission to read it'
          : String(error),
    );
  }
};

const linesIn = (cells: readonly (string | null)[]): number =>
  cells.reduce((sum, cell) => sum + (cell?.match(/\r\n|\r|\n/g)?.length ?? 0), 0);

const csvMessage = (error: CsvError, after_line: number): string => {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return `a quoted value that begins at line ${after_line + 1} or later has no closing quote`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return `the row at line ${after_line + 1} is larger than 1 MiB`;
  return error.message;
};

const NO_ROWS = 'it has no rows: the first line has the field keys of the template, and each later line is a render';

const columnsOf = (cells: readonly (string | null)[]): readonly string[] =>
  cells
    .slice(0, cells.findLastIndex((cell) => cell !== null && cell.trim() !== '') + 1)
    .map((cell) => cell?.trim() ?? '');

/** Calls `on_record` for each record, so that the rows before a syntax error are known. */
const parsed = (bytes: Buffer, on_record: (cells: readonly (string | null)[], lines: number) => void): void => {
  parse(bytes, {
    bom: true,
    delimiter: delimiterOf(bytes),
    max_record_size: LONGEST_ROW_BYTES,
    relax_column_count: true,
    // `5"` means five inches and does not begin a quoted text.
    relax_quotes: true,
    skip_empty_lines: true,
    // An empty cell is absent; "" is an empty text.
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
    on_record: (record: unknown, { lines }) => {
      const cells = Cells.decode(record);
      if (E.isLeft(cells)) throw new Error('the CSV parser returned a row without cells');
      on_record(cells.right, lines);
      return null;
    },
  });
};

/**
 * Reads a CSV file in UTF-8 with a heading, separated by commas, semicolons or tabs. Skips empty lines.
 *
 * @returns on the left `unreadable_file` if the file cannot be split into rows
 */
export const readRows = async (path: string): Promise<E.Either<CliFault, CsvSheet>> => {
  const bytes = await bytesOf(path);
  if (E.isLeft(bytes)) return bytes;
  let columns: readonly string[] | null = null;
  let line = 0;
  const rows: BatchRow[] = [];
  try {
    parsed(bytes.right, (cells, lines) => {
      line = lines;
      if (columns === null) columns = columnsOf(cells);
      else if (cells.some((cell) => cell !== null))
        rows.push({ row: rows.length + 1, line: line - linesIn(cells), cells });
    });
  } catch (error) {
    if (error instanceof CsvError) return unreadable(path, csvMessage(error, line));
    throw error;
  }
  if (rows.length > MAX_BATCH_ROWS) return unreadable(path, `it has more than ${MAX_BATCH_ROWS} rows; split it`);
  return columns === null || rows.length === 0 ? unreadable(path, NO_ROWS) : E.right({ columns, rows });
};
