import { stringify } from 'csv-stringify/sync';

/** Rows as CSV, after the names of the columns if `header` is set. A spreadsheet takes no cell for a formula. */
export const csvText = (columns: readonly string[], rows: readonly object[], header: boolean): string =>
  stringify([...rows], { header, columns: [...columns], record_delimiter: 'unix', escape_formulas: true });
