import { resolve, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlName, sqlText } from '../duckdb.ts';
import { EXPORTED_TYPES, emptyTable, type TableName, UNREADABLE_TABLE } from '../export/columns.ts';
import type { Manifest } from '../export/manifest.ts';
import { acceptedViews } from './accepted-views.ts';

const viewOf = (folder: string, table: TableName, files: readonly string[]): string => {
  const empty = emptyTable(table);
  if (files.length === 0) return empty;
  const paths = files.map((name) => sqlText(resolve(folder, name))).join(', ');
  // Columns that an older file lacks are null for its rows.
  return `${empty} UNION ALL BY NAME SELECT * FROM read_parquet([${paths}], union_by_name = true)`;
};

/**
 * Creates the tables and views of an export. Afterwards, statements can access only files in the export's folder, and
 * cannot change settings.
 */
export const openTables = async (
  connection: DuckDBConnection,
  folder: string,
  { files }: Pick<Manifest, 'files'>,
): Promise<void> => {
  const names = Object.keys(files);
  for (const table of [...EXPORTED_TYPES.map(({ type }) => type), UNREADABLE_TABLE] as const) {
    const own = names.filter((name) => name.startsWith(`${table}/`));
    await connection.run(`CREATE VIEW ${sqlName(table)} AS ${viewOf(folder, table, own)}`);
  }
  for (const statement of acceptedViews(EXPORTED_TYPES)) await connection.run(statement);
  await connection.run(`SET allowed_directories = [${sqlText(resolve(folder) + sep)}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
};
