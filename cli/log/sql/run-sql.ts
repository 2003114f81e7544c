import type { DuckDBConnection } from '@duckdb/node-api';
import * as E from 'fp-ts/lib/Either.js';
import { csvText } from '../../../catalogue/csv-text.ts';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { CliFault } from '../../fault.ts';
import { type Cell, tableText } from '../../table.ts';

/** The result of a statement. */
export type SqlAnswer = {
  readonly columns: readonly string[];
  /** Whether a column has numbers. Numbers that are too long for JSON are texts in the rows. */
  readonly numeric: readonly boolean[];
  readonly rows: readonly (readonly unknown[])[];
  /** The statement has more rows. */
  readonly cut: boolean;
};

/** A larger result belongs in a file, written by COPY. */
export const MAX_ROWS = 10_000;

const WHOLE = /^-?\d{1,15}$/;

/** DuckDB writes whole numbers of 64 bits and more as texts, because they may be too large for JSON. */
const asNumber = (value: unknown): unknown => (typeof value === 'string' && WHOLE.test(value) ? Number(value) : value);

/**
 * Runs statements and returns the result of the last one.
 *
 * @param stop Ctrl-C, ends the running statement
 */
export const runSql = async (
  connection: DuckDBConnection,
  sql: string,
  stop: AbortSignal,
): Promise<E.Either<CliFault, SqlAnswer>> => {
  const interrupt = (): void => connection.interrupt();
  stop.addEventListener('abort', interrupt);
  try {
    const { DECIMALS, WHOLE_NUMBERS } = await import('./numbers.ts');
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
/** A decimal that a double holds exactly. */
const SHORT_DECIMAL = /^-?[\d.]{1,16}$/;

/** Converts a number that is a text in a row. As a text with a minus, CSV output would escape it like a formula. */
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

/** Each row as an object. */
export const sqlObjects = ({ columns, rows }: SqlAnswer): readonly unknown[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
