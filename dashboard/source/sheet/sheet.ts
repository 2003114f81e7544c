import { isTarget, type Target } from './columns.ts';
import type { Table, TableRow } from './parse-table.ts';

/** A row that the person ordered. `attempt` counts from 1. */
export type Order = {
  /** The index of the row. */
  readonly row: number;
  readonly attempt: number;
  /** Null until the service has accepted it. */
  readonly render_id: string | null;
  /** Why the service refused it; null if it did not. */
  readonly refusal: string | null;
};

export type Sheet = {
  readonly id: string;
  readonly table: Table;
  /** One for each column. */
  readonly targets: readonly Target[];
  readonly draft: boolean;
  /** Null until the rows are ordered. */
  readonly orders: readonly Order[] | null;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isRow = (value: unknown): value is TableRow =>
  isObject(value) && typeof value.line === 'number' && isTexts(value.cells);

const isOrder = (value: unknown): value is Order =>
  isObject(value) &&
  [value.row, value.attempt].every((one) => Number.isSafeInteger(one)) &&
  [value.render_id, value.refusal].every((one) => one === null || typeof one === 'string');

const isSheet = (value: unknown): value is Sheet =>
  isObject(value) &&
  typeof value.id === 'string' &&
  typeof value.draft === 'boolean' &&
  isObject(value.table) &&
  isTexts(value.table.columns) &&
  Array.isArray(value.table.rows) &&
  value.table.rows.every(isRow) &&
  Array.isArray(value.targets) &&
  value.targets.every(isTarget) &&
  (value.orders === null || (Array.isArray(value.orders) && value.orders.every(isOrder)));

/** A sheet from the browser's storage. Null if another version of this page wrote it. */
export const decodeSheet = (text: string): Sheet | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isSheet(value) ? value : null;
  } catch {
    return null;
  }
};

export const withCell = (sheet: Sheet, row: number, column: number, text: string): Sheet => ({
  ...sheet,
  table: {
    ...sheet.table,
    rows: sheet.table.rows.map((one, index) =>
      index === row ? { ...one, cells: one.cells.map((cell, at) => (at === column ? text : cell)) } : one,
    ),
  },
});

/** Orders rows. A row that was ordered before gets another attempt, which is another render. */
export const withOrders = (sheet: Sheet, rows: readonly number[]): Sheet => {
  const before = new Map((sheet.orders ?? []).map((order) => [order.row, order]));
  for (const row of rows)
    before.set(row, { row, attempt: (before.get(row)?.attempt ?? 0) + 1, render_id: null, refusal: null });
  return { ...sheet, orders: [...before.values()] };
};

export type Outcome = Pick<Order, 'row' | 'attempt' | 'render_id' | 'refusal'>;

/** Outcomes of earlier attempts change nothing. */
export const withOutcomes = (sheet: Sheet, outcomes: readonly Outcome[]): Sheet => ({
  ...sheet,
  orders:
    sheet.orders?.map(
      (order) => outcomes.find(({ row, attempt }) => row === order.row && attempt === order.attempt) ?? order,
    ) ?? null,
});

export const isPending = ({ render_id, refusal }: Order): boolean => render_id === null && refusal === null;

/** The same row and attempt always have the same key, so a repeat never renders twice. */
export const orderKey = ({ id }: Pick<Sheet, 'id'>, { row, attempt }: Order): string =>
  `sheet-${id}-${row + 1}-${attempt}`;
