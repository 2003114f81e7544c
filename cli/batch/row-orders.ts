import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { parseFieldValue } from '../../domain/composition/field-values.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { isRemote, remoteFault } from '../../domain/composition/remote-media.ts';
import { FieldKind } from '../../domain/composition/templates.ts';
import { countCodePoints } from '../../domain/shape/text-rules.ts';
import type { TemplateAnswer } from '../render/render-answers.ts';
import type { RenderRequestBody } from '../render/render-api.ts';
import { type BatchColumns, ROW_PLACEHOLDER } from './columns.ts';
import type { BatchRow } from './csv-rows.ts';

export type Batch = {
  readonly project_id: string;
  readonly template: TemplateAnswer;
  /** `{column}` is replaced by the row's value. */
  readonly name: string;
  /** Empty for the first edition. Another edition renders every row again. */
  readonly edition: string;
  /** A draft and the full render of the same row have different idempotency keys. */
  readonly draft: boolean;
};

/** Each of the `faults` begins with the name of its column. */
export type BatchRowRequest = Pick<BatchRow, 'row' | 'line'> &
  (
    | { readonly tag: 'order'; readonly order: RenderRequestBody; readonly idempotency_key: string }
    | { readonly tag: 'at_fault'; readonly faults: readonly string[] }
  );

type Field = TemplateAnswer['fields'][number];

/**
 * A later run finds the renders of a batch by these keys, so they must be equal on every machine and in every version.
 */
const idempotencyKey = (parts: readonly unknown[]): string =>
  `batch-${createHash('sha256').update(canonicalJson(parts)).digest('hex')}`;

/** Converts the spelling of spreadsheets to that of the service. Only texts keep their spaces and case. */
const written = (kind: string, cell: string): string => {
  // Carriage returns cannot be drawn; Windows files have one before each line feed.
  if (kind === 'text') return cell.replaceAll(/\r\n?/g, '\n');
  return kind === 'toggle' ? cell.trim().toLowerCase() : cell.trim();
};

/** The checks that need neither the project nor the network. The service checks the rest. */
const faultOf = (kind: string, value: string): string | null => {
  if (!FieldKind.is(kind)) return null;
  if (isRemote(kind, value)) return remoteFault(value);
  if (kind === 'image' || kind === 'video' || kind === 'audio') return null;
  const parsed = parseFieldValue(kind, value, []);
  return E.isLeft(parsed) ? parsed.left : null;
};

const valuesOf = (fields: readonly Field[], columns: BatchColumns, { cells }: BatchRow) => {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const { key, kind } of fields) {
    const cell = cells[columns.fields.get(key) ?? -1] ?? null;
    if (cell === null) continue;
    const value = written(kind, cell);
    const fault = faultOf(kind, value);
    if (fault === null) values[key] = value;
    else faults.push(`${key}: ${fault}`);
  }
  const bytes = Object.entries(values).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (bytes > LIMITS.values_bytes) faults.push(`the values must be at most ${LIMITS.values_bytes / 1024} KiB in total`);
  return { values, faults };
};

const nameOf = (pattern: string, fields: readonly Field[], columns: BatchColumns, { row, cells }: BatchRow): string => {
  const defaults = new Map(fields.map(({ key, default_value }) => [key, default_value]));
  return pattern
    .replaceAll(/\{([A-Za-z0-9_-]+)\}/g, (_, word: string) => {
      const at = columns.named.get(word);
      if (at === undefined && word === ROW_PLACEHOLDER) return String(row);
      return cells[at ?? -1] ?? defaults.get(word) ?? '';
    })
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
};

const nameFaults = (name: string): readonly string[] => {
  if (name === '') return ['name: is empty'];
  const length = countCodePoints(name);
  return length > LIMITS.name ? [`name: must have at most ${LIMITS.name} characters, and has ${length}`] : [];
};

/**
 * Reports a wrong number of cells only for the whole row. A quoting error causes it, so the columns of the cells are
 * unknown.
 */
const countFaults = ({ count }: BatchColumns, { cells }: BatchRow): readonly string[] => {
  const beyond = cells.slice(count).some((cell) => cell !== null);
  return cells.length < count || beyond ? [`has ${cells.length} values for ${count} columns; check the quotes`] : [];
};

/**
 * The Idempotency-Key comes from the project, the template, the edition and the row's value in the "key" column.
 * Without that column it comes from the row's values, and a counter distinguishes equal rows. Position and name are not
 * part of the key, so users can move and add rows.
 */
export const batchRowRequests = (
  batch: Batch,
  columns: BatchColumns,
  rows: readonly BatchRow[],
): readonly BatchRowRequest[] => {
  const { project_id, template, name: pattern, edition, draft } = batch;
  const lines = new Map<string, number>();
  const times = new Map<string, number>();
  const keyFaults = (own: string | null, line: number): readonly string[] => {
    if (columns.key === null) return [];
    if (own === null || own.trim() === '') return ['key: is empty'];
    const before = lines.get(own);
    if (before === undefined) lines.set(own, line);
    return before === undefined ? [] : [`key: duplicates the key of line ${before}`];
  };
  const keyOf = (own: string | null, values: RenderRequestBody['values']): string => {
    const scope = [project_id, template.id, edition, ...(draft ? ['draft'] : [])];
    if (own !== null) return idempotencyKey([...scope, { key: own }]);
    const content = canonicalJson(values ?? {});
    const time = (times.get(content) ?? 0) + 1;
    times.set(content, time);
    return idempotencyKey([...scope, { values: values ?? {}, time }]);
  };
  return rows.map((row): BatchRowRequest => {
    const place = { row: row.row, line: row.line };
    const own = columns.key === null ? null : (row.cells[columns.key] ?? null);
    const { values, faults } = valuesOf(template.fields, columns, row);
    const name = nameOf(pattern, template.fields, columns, row);
    const all = [...countFaults(columns, row), ...keyFaults(own, row.line), ...faults, ...nameFaults(name)];
    if (all.length > 0) return { ...place, tag: 'at_fault', faults: all };
    const order = { name, project_id, template_id: template.id, values, ...(draft ? { draft } : {}) };
    return { ...place, tag: 'order', order, idempotency_key: keyOf(own, values) };
  });
};
