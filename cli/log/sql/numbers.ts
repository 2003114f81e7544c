import { DuckDBTypeId } from '@duckdb/node-api';

/** Types of whole numbers that may be too large for JSON. */
export const WHOLE_NUMBERS: ReadonlySet<DuckDBTypeId> = new Set([
  ...[DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT],
]);

/** Types of numbers that DuckDB writes as JSON texts, because a double may not hold them. */
export const DECIMALS: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.DECIMAL]);
