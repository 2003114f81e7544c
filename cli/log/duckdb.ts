import type { DuckDBConnection } from '@duckdb/node-api';

const SETTINGS = {
  threads: '2',
  memory_limit: '1GB',
  // DuckDB must not download extensions; all needed ones are built in.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

/**
 * Calls `use` with an in-memory database. The import is here, because DuckDB loads slower than most commands run.
 *
 * @param spill_to a folder for spilled data; created on demand, and not removed
 */
export const withDuckDb = async <A>(
  spill_to: string,
  use: (connection: DuckDBConnection) => Promise<A>,
): Promise<A> => {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { ...SETTINGS, temp_directory: spill_to });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
