import { DuckDBTypeId } from '@duckdb/node-api';

/** Types of whole numbers that may be larger than JSON's. */
export const NUMBERS: ReadonlySet<DuckDBTypeId> = new Set([
  ...[DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT],
]);
