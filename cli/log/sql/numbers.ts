import { DuckDBTypeId } from '@duckdb/node-api';

/** Integer types that may exceed the range of JSON numbers. */
export const LARGE_INTEGER_TYPES: ReadonlySet<DuckDBTypeId> = new Set([
  ...[DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT],
]);

/** DuckDB writes these types as JSON texts, because a double cannot hold every value. */
export const DECIMAL_TYPES: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.DECIMAL]);
