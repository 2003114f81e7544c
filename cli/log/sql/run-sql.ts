import type { DuckDBConnection } from '@duckdb/node-api';
import * as E from 'fp-ts/lib/Either.js';
import { csvText } from '../../../catalogue/csv-text.ts';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { CliFault } from '../../fault.ts';
import { type Cell, tableText } from '../../table.ts';

export type SqlAnswer = {
  readonly columns: readonly string[];
  /** Whether each column is numeric. Numbers that JSON cannot represent are texts in `rows`. */
  readonly numeric: readonly boolean[];
  readonly rows: readonly (readonly unknown[])[];
  readonly cut: boolean;
};

/** Only this many rows are returned. For larger results, users write a file with COPY. */
export const MAX_ROWS = 10_000;

const WHOLE = /^-?\d{1,15}$/;

/** DuckDB writes integers of 64 bits and more as texts. This converts those that a JSON number represents exactly. */
const asNumber = (value: unknown): unknown => (typeof value === 'string' && WHOLE.test(value) ? Number(value) : value);

/**
 * Runs all statements and returns the result of the last one.
 *
 * @param stop on Ctrl-C, cancels the running statement
 */
export const runSql = async (
  connection: DuckDBConnection,
  sql: string,
  stop: AbortSignal,
): Promise<E.Either<CliFault, SqlAnswer>> => {
  const interrupt = (): void => connection.interrupt();
  stop.addEventListener('abort', interrupt);
  try {
    const { DECIMAL_TYPES: DECIMALS, LARGE_INTEGER_TYPES: WHOLE_NUMBERS } = await import('./numbers.ts');
    const reader = await connection.streamAndReadUntil(sql, MAX_ROWS + 1);
    const types = reader.columnTypes().map(({ typeId }) => typeId);
    const whole = types.map((type) => WHOLE_NUMBERS.has(type));
    const numeric = types.map((type) => WHOLE_NUMBERS.has(type) || DECIMALS.has(type));
    const rows = reader
      .getRowsJson()
      .slice(0, MAX_ROWS)
      .map((row) => row.map((value, i) => (whole[i] === true ? asNumber(value) : value)));
    return E.right({
      columns: reader.deduplicatedColumnNames(),
      numeric,
      rows,
      cut: reader.currentRowCount > MAX_ROWS,
    });
  } catch (error) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    return E.left({ tag: 'refused', reason: 'sql', message: messageOf(error).replaceAll(/\n\s*\n/g, '\n') });
  } finally {
    stop.removeEventListener('abort', interrupt);
  }
};

const cell = (value: unknown): Cell =>
  value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    ? value
    : JSON.stringify(value);

export const sqlTable = ({ columns, rows, cut }: SqlAnswer): string => {
  const table = tableText(
    columns,
    rows.map((row) => row.map(cell)),
  );
  return cut ? `${table}\n\nOnly the first ${MAX_ROWS} rows are shown.` : table;
};

const WHOLE_TEXT = /^-?\d+$/;
/** A decimal that a double represents exactly. */
const SHORT_DECIMAL = /^-?[\d.]{1,16}$/;

/** Converts a numeric text to a number, because CSV output would escape a text with a minus sign as a formula. */
const csvNumber = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (WHOLE_TEXT.test(value)) return BigInt(value);
  return SHORT_DECIMAL.test(value) ? Number(value) : value;
};

export const sqlCsv = ({ columns, numeric, rows }: SqlAnswer): string =>
  csvText(
    columns,
    rows.map((row) => row.map((value, i) => (numeric[i] === true ? csvNumber(value) : value))),
    true,
  );

export const sqlObjects = ({ columns, rows }: SqlAnswer): readonly unknown[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
