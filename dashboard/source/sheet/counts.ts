import type { Schemas } from '../api/client.ts';
import { type Field, shownFaults } from '../new-video/field-values.ts';
import { fieldTarget, type Target } from './columns.ts';
import type { SheetRow } from './rows.ts';

type Check = Schemas['ProjectCheck'];

/** The faults of a row: those of the browser, then those of the service. `others` are of no cell. */
export const rowFaults = (
  { faults }: Pick<SheetRow, 'faults'>,
  fields: readonly Pick<Field, 'key'>[],
  check: Check | undefined,
): { readonly faults: ReadonlyMap<Target, string>; readonly others: readonly string[] } => {
  if (faults.size > 0 || check === undefined) return { faults, others: [] };
  const { of_fields, others } = shownFaults(fields, check.faults);
  return { faults: new Map([...of_fields].map(([key, text]) => [fieldTarget(key), text])), others };
};

export type Readiness = {
  /** The rows without faults. */
  readonly valid: readonly number[];
  readonly price: number;
  readonly faulty: number;
  /** Rows that the service has not checked yet. */
  readonly unchecked: number;
};

type Judged = Pick<SheetRow, 'row' | 'faults'> & {
  readonly others: readonly string[];
  readonly check: Check | undefined;
};

/** The price of rows, and why some of them cannot be rendered. */
export const readinessOf = (rows: readonly Judged[]): Readiness => {
  const sound = rows.filter(({ faults, others }) => faults.size + others.length === 0);
  const valid = sound.filter(({ check }) => check?.valid === true);
  return {
    valid: valid.map(({ row }) => row),
    price: valid.reduce((sum, { check }) => sum + (check?.price_credits ?? 0), 0),
    faulty: rows.length - sound.length,
    unchecked: sound.length - valid.length,
  };
};

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
