import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { errorCodeOf } from '../../folder-fault.ts';
import { sqlName, sqlText } from '../duckdb.ts';
import { columnsOf, type TableColumns } from './columns.ts';
import { MANIFEST_FILE, type Manifest } from './manifest.ts';
import type { RowFiles } from './row-files.ts';

/**
 * New files wait here until all of them are complete. The manifest is added last, and then all files move to their
 * places, the manifest last. If the process is killed during the move, the next run completes it. So the manifest never
 * names rows that the files lack, and a batch is written completely or not at all.
 */
export const partialFolder = (folder: string): string => join(folder, '.partial');

const columnList = (columns: TableColumns): string =>
  `{${columns.map(([name, type]) => `${sqlName(name)}: ${sqlText(type)}`).join(', ')}}`;

export const copyToParquet = (query: string, path: string): string =>
  `COPY (${query}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`;

const moveAll = async (folder: string, names: readonly string[]): Promise<void> => {
  const partial = partialFolder(folder);
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await rename(join(partial, name), join(folder, name)).catch((error: unknown) => {
      // A killed process may already have moved this file.
      if (errorCodeOf(error) !== 'ENOENT') throw error;
    });
  }
  await rename(join(partial, MANIFEST_FILE), join(folder, MANIFEST_FILE));
  await rm(partial, { recursive: true, force: true });
};

export const recoverExport = async (folder: string): Promise<void> => {
  const partial = partialFolder(folder);
  const text = await readFile(join(partial, MANIFEST_FILE), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return await rm(partial, { recursive: true, force: true });
  const { files }: Manifest = JSON.parse(text);
  await moveAll(folder, Object.keys(files));
};

/** Moves the changed files and then the manifest to their places. */
export const publishExport = async (
  folder: string,
  manifest: Manifest,
  changed: readonly string[],
): Promise<Manifest> => {
  const partial = partialFolder(folder);
  const draft = join(partial, 'manifest.draft');
  await mkdir(partial, { recursive: true });
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(draft, join(partial, MANIFEST_FILE));
  await moveAll(folder, changed);
  return manifest;
};

/** Adds rows to the files of their tables and days, and advances the positions, in one atomic step. */
export const commitExport = async (
  connection: DuckDBConnection,
  folder: string,
  before: Manifest,
  rows: RowFiles,
  positions: Manifest['positions'],
): Promise<Manifest> => {
  const partial = partialFolder(folder);
  const files = { ...before.files };
  const changed: string[] = [];
  for (const { table, day, path, count } of await rows.close()) {
    const name = `${table}/${day}.parquet`;
    await mkdir(join(partial, table), { recursive: true });
    const source = `read_json(${sqlText(path)}, format = 'newline_delimited', columns = ${columnList(columnsOf(table))})`;
    const old = `SELECT * FROM read_parquet(${sqlText(join(folder, name))}) UNION ALL BY NAME `;
    const all = `${files[name] === undefined ? '' : old}SELECT * FROM ${source}`;
    await connection.run(copyToParquet(all, join(partial, name)));
    await rm(path);
    files[name] = (files[name] ?? 0) + count;
    changed.push(name);
  }
  return await publishExport(folder, { ...before, positions, files }, changed);
};
