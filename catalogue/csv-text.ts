import { stringify } from 'csv-stringify/sync';

export type CsvRow = object | readonly unknown[];

/**
 * Cells that look like formulas are escaped, so that spreadsheets do not run them. Cells with `;` or a tab are quoted,
 * because some locales separate cells by them.
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
