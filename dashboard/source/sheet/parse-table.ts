import { CsvError, parse } from 'csv-parse/browser/esm/sync';

export type TableRow = { readonly line: number; readonly cells: readonly string[] };
export type Table = { readonly columns: readonly string[]; readonly rows: readonly TableRow[] };
export type ParsedTable = { readonly table: Table } | { readonly fault: string };

export const TABLE_LIMITS = { rows: 1_000, columns: 200, characters: 1_000_000 } as const;

const fault = (text: string): ParsedTable => ({ fault: text });

const count = (text: string, character: string): number => text.split(character).length - 1;

/** Spreadsheets paste tabs. CSV files have the separator of the machine's locale. */
const delimiterOf = (text: string): string => {
  const [heading = ''] = text.split(/[\r\n]/, 1);
  if (heading.includes('\t')) return '\t';
  return count(heading, ';') > count(heading, ',') ? ';' : ',';
};

const isFilled = (cell: string): boolean => cell.trim() !== '';

const withoutEmptyEnd = (cells: readonly string[]): readonly string[] =>
  cells.slice(0, cells.findLastIndex(isFilled) + 1);

const linesIn = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + count(cell.replaceAll('\r\n', '\n'), '\n'), 0);

const textsOf = (record: unknown): readonly string[] => (Array.isArray(record) ? record.map(String) : []);

const csvFault = (error: CsvError, after_line: number): string =>
  error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? `A quote that opens at line ${after_line + 1} or later has no end.`
    : `Line ${after_line + 1} cannot be read. Check its quotes.`;

class TableFault extends Error {}

/** @throws {TableFault} for the first line that is at fault */
const collect = (text: string): { readonly columns: readonly string[] | null; readonly rows: readonly TableRow[] } => {
  let columns: readonly string[] | null = null;
  const rows: TableRow[] = [];
  let last = 0;
  const take = (record: unknown, lines: number): void => {
    const cells = withoutEmptyEnd(textsOf(record));
    const line = lines - linesIn(cells);
    last = lines;
    if (cells.length > TABLE_LIMITS.columns)
      throw new TableFault(
        `Line ${line} has ${cells.length.toLocaleString()} columns. A sheet has at most ${TABLE_LIMITS.columns}.`,
      );
    if (columns === null) columns = cells.map((cell) => cell.trim());
    else if (cells.length > columns.length)
      throw new TableFault(`Line ${line} has ${cells.length} cells for ${columns.length} columns. Check its quotes.`);
    else if (rows.length >= TABLE_LIMITS.rows)
      throw new TableFault(
        `A sheet has at most ${TABLE_LIMITS.rows.toLocaleString()} rows. Remove those from line ${line}.`,
      );
    else if (cells.length > 0) rows.push({ line, cells: [...cells, ...columns.slice(cells.length).map(() => '')] });
  };
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      // `5"` means five inches and does not begin a quoted text.
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: (record: unknown, { lines }) => {
        take(record, lines);
        return null;
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? new TableFault(csvFault(error, last)) : error;
  }
  return { columns, rows };
};

/** Reads a table whose first line names its columns, separated by tabs, commas or semicolons. All cells are text. */
export const parseTable = (text: string): ParsedTable => {
  if (text.length > TABLE_LIMITS.characters)
    return fault(`The table has more than ${TABLE_LIMITS.characters.toLocaleString()} characters. Split it.`);
  if (text.startsWith('PK\u0003\u0004')) return fault('This is a spreadsheet file. Save it as CSV, or copy its cells.');
  if (text.includes('\0')) return fault('This is not a text file. Save the sheet as CSV, or copy its cells.');
  try {
    const { columns, rows } = collect(text.replace(/^\uFEFF/, '').toWellFormed());
    if (columns === null || columns.length === 0) return fault('The table is empty. Its first line names the columns.');
    if (rows.length === 0) return fault('The table has no rows below the names of its columns.');
    return { table: { columns, rows } };
  } catch (error) {
    if (error instanceof TableFault) return fault(error.message);
    throw error;
  }
};
