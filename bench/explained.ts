export type QueryExecutionStats = {
  /** Null if the query uses no index. */
  readonly index: string | null;
  readonly keys: number;
  readonly documents: number;
  /** Whether the query sorts documents in memory. */
  readonly sorts: boolean;
};

type Seen = { readonly path: string; readonly value: unknown };

/** Every member at any depth, outer ones first. */
const members = (value: unknown): readonly Seen[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([path, inner]) => [{ path, value: inner }, ...members(inner)]);

/**
 * Servers nest query plans differently. If a pipeline runs completely in the scan, it has one plan. Otherwise its first
 * stage has a plan, and the other stages follow by name.
 */
export const executionStatsOf = (explanation: unknown): QueryExecutionStats => {
  const seen = members(explanation);
  const first = (name: string): unknown => seen.find(({ path }) => path === name)?.value;
  const stages = seen.flatMap(({ path, value }) => (path === 'stage' ? [value] : path === '$sort' ? ['SORT'] : []));
  const index = first('indexName');
  return {
    index: typeof index === 'string' ? index : null,
    keys: Number(first('totalKeysExamined') ?? Number.NaN),
    documents: Number(first('totalDocsExamined') ?? Number.NaN),
    sorts: stages.includes('SORT'),
  };
};
