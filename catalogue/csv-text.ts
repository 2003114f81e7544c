import { stringify } from 'csv-stringify/sync';

/** A row: cells in the order of the columns, or by the name of the column. */
export type CsvRow = object | readonly unknown[];

/**
 * Rows as CSV, after the column names if `header` is set. Spreadsheets do not interpret a cell as a formula. A cell
 * with a separator of any locale is quoted: `;` must not split it where a comma is the decimal point.
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
