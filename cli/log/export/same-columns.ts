import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type AvroField, type AvroType, isRecord } from '../../../schemas/avro.ts';
import { avroOf } from '../../../schemas/records.ts';
import { sqlName, sqlText } from '../duckdb.ts';
import { columnsOf, EXPORTED_TYPES, emptyTable, type TableName, UNREADABLE_TABLE } from './columns.ts';
import { copyToParquet, partialFolder, publishExport } from './commit.ts';
import type { Manifest } from './manifest.ts';

const literal = (value: NonNullable<AvroField['default']>): string => {
  if (typeof value === 'object') return '[]';
  return typeof value === 'string' ? sqlText(value) : String(value);
};

/**
 * Fills missing members with the defaults of Avro: null, 0, false, empty. Times have no default, because null means
 * that a time is out of range.
 */
const withDefaults = (expression: string, type: AvroType, value: AvroField['default']): string => {
  const whole = withMembers(expression, type);
  const is_time = typeof type === 'object' && 'logicalType' in type;
  return value === undefined || value === null || is_time ? whole : `coalesce(${whole}, ${literal(value)})`;
};

const withMembers = (expression: string, type: AvroType): string => {
  if (typeof type === 'string' || 'logicalType' in type) return expression;
  if (isRecord(type)) {
    const members = type.fields.map(
      (field) =>
        `${sqlText(field.name)}: ${withDefaults(`${expression}.${sqlName(field.name)}`, field.type, field.default)}`,
    );
    return `CASE WHEN ${expression} IS NULL THEN NULL ELSE {${members.join(', ')}} END`;
  }
  if ('items' in type) {
    const item = withMembers('item', type.items);
    return item === 'item' ? expression : `list_transform(${expression}, lambda item: ${item})`;
  }
  const [some = 'string'] = type.filter((one) => one !== 'null');
  return withMembers(expression, some);
};

const rowsOf = (table: TableName, path: string): string => {
  const rows = `${emptyTable(table)} UNION ALL BY NAME SELECT * FROM read_parquet(${sqlText(path)})`;
  if (table === UNREADABLE_TABLE) return rows;
  const replaced = avroOf(table).fields.map(
    ({ name, type, default: value }) => `${withDefaults(sqlName(name), type, value)} AS ${sqlName(name)}`,
  );
  return `SELECT * REPLACE (${replaced.join(', ')}) FROM (${rows})`;
};

const hashOf = (columns: readonly (readonly [string, string])[]): string =>
  createHash('sha256').update(JSON.stringify(columns)).digest('hex').slice(0, 16);

const columnsIn = async (connection: DuckDBConnection, path: string): Promise<string> => {
  const described = `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${sqlText(path)}))`;
  return JSON.stringify((await connection.runAndReadAll(described)).getRows());
};

/**
 * Adds new columns, with defaults, to files of an earlier renderctl. Other Parquet readers reject or drop columns that
 * only some files have. Tables change one at a time, so a later run can complete the work of a killed one.
 */
export const withSameColumns = async (
  connection: DuckDBConnection,
  folder: string,
  before: Manifest,
  stop: AbortSignal,
): Promise<Manifest> => {
  let manifest = before;
  for (const table of [...EXPORTED_TYPES.map(({ type }) => type), UNREADABLE_TABLE] as const) {
    const hash = hashOf(columnsOf(table));
    if (stop.aborted) return manifest;
    if (manifest.columns?.[table] === hash) continue;
    const changed: string[] = [];
    const empty = await connection.runAndReadAll(
      `SELECT column_name, column_type FROM (DESCRIBE ${emptyTable(table)})`,
    );
    const wanted = JSON.stringify(empty.getRows());
    for (const name of Object.keys(manifest.files).filter((file) => file.startsWith(`${table}/`))) {
      const path = join(folder, name);
      if ((await columnsIn(connection, path)) === wanted) continue;
      await mkdir(join(partialFolder(folder), table), { recursive: true });
      await connection.run(copyToParquet(rowsOf(table, path), join(partialFolder(folder), name)));
      changed.push(name);
    }
    manifest = { ...manifest, columns: { ...manifest.columns, [table]: hash } };
    if (changed.length > 0) manifest = await publishExport(folder, manifest, changed);
  }
  return manifest;
};
