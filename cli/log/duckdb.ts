import type { DuckDBConnection } from '@duckdb/node-api';

const SETTINGS = {
  threads: '2',
  memory_limit: '1GB',
  // Nothing is fetched from anywhere: what is needed is built in.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

/**
 * Calls `use` with a database in memory that may write to one folder what does not fit there. Its library is loaded only
 * here, as that takes longer than most commands.
 *
 * @param spill_to a folder; made where it is needed, and not removed
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
