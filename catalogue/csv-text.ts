import { stringify } from 'csv-stringify/sync';

/** A row: its cells in the order of the columns, or by the name of the column. */
export type CsvRow = object | readonly unknown[];

/**
 * Rows as CSV, after the names of the columns if `header` is set. Spreadsheets take no text for a formula. A cell that
 * holds a separator of any locale is quoted, so that `;` does not split it where a comma is the decimal point.
 */
export const csvText = (columns: readonly string[], rows: readonly CsvRow[], header: boolean): string =>
  stringify([...rows], {
    header,
    columns: [...columns],
    record_delimiter: 'unix',
    escape_formulas: true,
    quoted_match: /[;\t]/,
    cast: { boolean: String },
  });
