import { stringify } from 'csv-stringify/sync';

export type CsvRow = object | readonly unknown[];

/**
 * Spreadsheets do not interpret a cell as a formula. Cells with `;` or a tab are quoted, because some locales separate
 * cells by them.
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
