import { resolve, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { RECORDS } from '../../../schemas/records.ts';
import { sqlName, sqlText } from '../duckdb.ts';
import { columnsOf, type TableName, UNREADABLE } from '../export/columns.ts';
import type { Manifest } from '../export/manifest.ts';

const TABLES: readonly TableName[] = [...RECORDS.map(({ type }) => type), UNREADABLE];

/** Of one that has no file, without rows. */
const viewOf = (folder: string, table: TableName, files: readonly string[]): string => {
  const columns = columnsOf(table).map(([name, type]) => `NULL::${type} AS ${sqlName(name)}`);
  const empty = `SELECT ${columns.join(', ')} WHERE false`;
  if (files.length === 0) return empty;
  const paths = files.map((name) => sqlText(resolve(folder, name))).join(', ');
  // Columns that later records have are null in earlier files.
  return `${empty} UNION ALL BY NAME SELECT * FROM read_parquet([${paths}], union_by_name = true)`;
};

/** Each render as it was when its last accepted event was appended. */
const RENDERS = `SELECT unnest(render) FROM RenderFactAccepted
  QUALIFY row_number() OVER (PARTITION BY render_id ORDER BY source_offset DESC) = 1`;

/**
 * Makes the tables of an export: one for each type of records, called like it, one of records that cannot be read, and
 * `renders`. From then on statements reach files in its folder and nothing else, and change no setting.
 */
export const openTables = async (
  connection: DuckDBConnection,
  folder: string,
  { files }: Pick<Manifest, 'files'>,
): Promise<void> => {
  for (const table of TABLES) {
    const own = Object.keys(files).filter((name) => name.startsWith(`${table}/`));
    await connection.run(`CREATE VIEW ${sqlName(table)} AS ${viewOf(folder, table, own)}`);
  }
  await connection.run(`CREATE VIEW renders AS ${RENDERS}`);
  await connection.run(`SET allowed_directories = [${sqlText(resolve(folder) + sep)}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
};
