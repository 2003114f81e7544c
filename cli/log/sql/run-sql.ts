import type { DuckDBConnection } from '@duckdb/node-api';
import * as E from 'fp-ts/lib/Either.js';
import { csvText } from '../../../catalogue/csv-text.ts';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { CliFault } from '../../fault.ts';
import { type Cell, tableText } from '../../table.ts';

/** What a statement answers. */
export type SqlAnswer = {
  readonly columns: readonly string[];
  /** Whether a column holds numbers, also those that are too long for JSON and so are texts in the rows. */
  readonly numeric: readonly boolean[];
  readonly rows: readonly (readonly unknown[])[];
  /** There are more. */
  readonly cut: boolean;
};

/** More are better written to a file, by COPY. */
export const MOST_ROWS = 10_000;

const WHOLE = /^-?\d{1,15}$/;

/** DuckDB writes whole numbers of 64 bits and more as texts, for they may be larger than JSON's. */
const asNumber = (value: unknown): unknown => (typeof value === 'string' && WHOLE.test(value) ? Number(value) : value);

/**
 * Runs statements, and answers with what the last one does.
 *
 * @param stop Ctrl-C, which ends a statement under way
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
    const reader = await connection.streamAndReadUntil(sql, MOST_ROWS + 1);
    const types = reader.columnTypes().map(({ typeId }) => typeId);
    const whole = types.map((type) => WHOLE_NUMBERS.has(type));
    const numeric = types.map((type) => WHOLE_NUMBERS.has(type) || DECIMALS.has(type));
    const rows = reader
      .getRowsJson()
      .slice(0, MOST_ROWS)
      .map((row) => row.map((value, i) => (whole[i] === true ? asNumber(value) : value)));
    return E.right({
      columns: reader.deduplicatedColumnNames(),
      numeric,
      rows,
      cut: reader.currentRowCount > MOST_ROWS,
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
  return cut ? `${table}\n\nOnly the first ${MOST_ROWS} rows are shown.` : table;
};

const WHOLE_TEXT = /^-?\d+$/;
/** A decimal that a double holds exactly. */
const SHORT_DECIMAL = /^-?[\d.]{1,16}$/;

/** A number that is a text in a row, as a number: a text that begins with a minus would be taken for a formula. */
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
