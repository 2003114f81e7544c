import { type Field, fullColor, isMedia, type Values } from '../new-video/field-values.ts';
import type { Target } from './columns.ts';
import { isIsoDate } from './iso-date.ts';
import type { TableRow } from './parse-table.ts';
import type { Sheet } from './sheet.ts';

const MAX_NAME = 250;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const COLOR = /^#[0-9a-f]{6}$/i;
const UPLOAD = /^upload_[0-9a-f]{32}$/;

/** The spelling of spreadsheets as that of the service. Only texts keep their spaces and case. */
export const cellValue = (kind: Field['kind'], cell: string): string => {
  switch (kind) {
    case 'text':
      return cell.replaceAll(/\r\n?/g, '\n');
    case 'color':
      return fullColor(cell);
    case 'toggle':
      return cell.trim().toLowerCase();
    default:
      return cell.trim();
  }
};

const MAX_SHOWN_OPTIONS = 5;

const optionFault = (options: readonly string[], value: string): string | null => {
  if (options.includes(value)) return null;
  return options.length <= MAX_SHOWN_OPTIONS ? `Must be one of: ${options.join(', ')}.` : 'Must be one of the options.';
};

const textFault = ({ options, max_length }: Field, value: string): string | null => {
  if (options !== null) return optionFault(options, value);
  return max_length !== null && [...value].length > max_length
    ? `Must have at most ${max_length.toLocaleString()} characters.`
    : null;
};

const numberFault = ({ minimum, maximum, whole }: Field, value: string): string | null => {
  const number = Number(value);
  if (!NUMBER.test(value) || !Number.isFinite(number)) return 'Must be a number.';
  if (whole && !Number.isInteger(number)) return 'Must be a whole number.';
  if (minimum !== null && number < minimum) return `Must be at least ${minimum}.`;
  return maximum !== null && number > maximum ? `Must be at most ${maximum}.` : null;
};

/** @param assets ids of the files of the project; null until they are known */
const mediaFault = (value: string, assets: readonly string[] | null): string | null => {
  if (value.includes('://'))
    return /^https:\/\/[^\s/]/.test(value) ? null : 'Use an address that begins with https://.';
  return assets === null || UPLOAD.test(value) || assets.includes(value)
    ? null
    : 'Must be an https address, an upload or a file of the project.';
};

/** The browser finds these faults at once. The service checks the rest. */
export const cellFault = (field: Field, value: string, assets: readonly string[] | null): string | null => {
  if (isMedia(field.kind))
    return field.options === null ? mediaFault(value, assets) : optionFault(field.options, value);
  switch (field.kind) {
    case 'number':
      return numberFault(field, value);
    case 'color':
      return COLOR.test(value) ? null : 'Must be a colour like #E30613.';
    case 'date':
      return isIsoDate(value) ? null : 'Must be a date like 2026-11-30.';
    case 'toggle':
      return value === 'true' || value === 'false' ? null : 'Must be true or false.';
    default:
      return textFault(field, value);
  }
};

export type SheetRow = {
  /** The index of the row. */
  readonly row: number;
  readonly name: string;
  /** By key. An empty cell has none, and means the default. */
  readonly values: Values;
  /** By target. */
  readonly faults: ReadonlyMap<Target, string>;
};

const nameOf = (cell: string, fallback: string, row: number): string => {
  const name = cell.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return name === '' ? `${[...fallback].slice(0, MAX_NAME - 5).join('')} ${row + 1}` : name;
};

type Fields = ReadonlyMap<string, Field>;

const readRow = (
  { cells }: TableRow,
  row: number,
  targets: readonly Target[],
  by_target: Fields,
  fallback: string,
  assets: readonly string[] | null,
): SheetRow => {
  const values: [string, string][] = [];
  const faults = new Map<Target, string>();
  let name = '';
  targets.forEach((target, column) => {
    const cell = cells[column] ?? '';
    if (target === 'name') name = cell;
    const field = by_target.get(target);
    if (field === undefined || cell.trim() === '') return;
    const value = cellValue(field.kind, cell);
    const fault = cellFault(field, value, assets);
    if (fault !== null) faults.set(target, fault);
    values.push([field.key, value]);
  });
  const own = nameOf(name, fallback, row);
  if ([...own].length > MAX_NAME) faults.set('name', `Must have at most ${MAX_NAME} characters.`);
  return { row, name: own, values: Object.fromEntries(values), faults };
};

type ReadSheetRows = (sheet: Pick<Sheet, 'table' | 'targets'>) => readonly SheetRow[];

/**
 * Reads the rows of sheets as videos. A row that did not change is not read again, so that typing in one of 1,000 rows
 * stays fast.
 *
 * @param fallback names rows without a name, with their number
 */
export const openSheetRows = (
  fields: readonly Field[],
  fallback: string,
  assets: readonly string[] | null,
): ReadSheetRows => {
  const by_target = new Map(fields.map((field) => [`field:${field.key}`, field]));
  let of: readonly Target[] = [];
  let known = new WeakMap<TableRow, SheetRow>();
  return ({ table, targets }) => {
    if (of !== targets) [of, known] = [targets, new WeakMap()];
    return table.rows.map((line, row) => {
      const read = known.get(line) ?? readRow(line, row, targets, by_target, fallback, assets);
      known.set(line, read);
      return read;
    });
  };
};
