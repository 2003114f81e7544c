import type { RecordType } from '../../../schemas/any-record.ts';
import { sqlName } from '../duckdb.ts';
import type { TableName } from '../export/columns.ts';

/** The SQL schema whose views have each event only once, and only those render events that the fold accepted. */
export const ACCEPTED_SCHEMA = 'accepted';

/** Repeated records of these types may have different event ids, so these members identify the event. */
const KEYS: { readonly [T in RecordType]?: readonly string[] } = {
  CreditsGranted: ['account_id', 'grant_id'],
  DeliveryPlanned: ['delivery_id'],
  DeliverySkipped: ['delivery_id'],
  DeliveryAttempted: ['delivery_id', 'n'],
  DeliverySucceeded: ['delivery_id'],
  DeliveryExhausted: ['delivery_id'],
};

/** The first record counts, as in the fold. */
const firstOf = (table: TableName, key: string): string =>
  `SELECT * FROM main.${sqlName(table)}
   QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY log_partition, log_offset) = 1`;

const acceptedOf = (table: RecordType, namespace: string): string => {
  if (table === 'RenderFactAccepted') return firstOf(table, 'log_partition, source_offset');
  if (namespace === 'rendering.events')
    return `SELECT event.* FROM main.${sqlName(table)} AS event
      SEMI JOIN main.RenderFactAccepted AS fact
      ON fact.log_partition = event.log_partition AND fact.source_offset = event.log_offset`;
  return firstOf(table, KEYS[table]?.map(sqlName).join(', ') ?? 'meta.event_id');
};

/** The state of each render after its last accepted event. */
const RENDERS = `
  WITH last AS (
    SELECT render_id, render FROM main.RenderFactAccepted
    QUALIFY row_number() OVER (PARTITION BY render_id ORDER BY source_offset DESC) = 1
  ),
  request AS (SELECT render_id, coalesce(draft, false) AS draft FROM ${ACCEPTED_SCHEMA}.RenderRequested)
  SELECT last.render_id, unnest(last.render), request.draft
  FROM last LEFT JOIN request USING (render_id)`;

/**
 * The attempts of workers, in append times. While an attempt runs, `ended_at` and `outcome` are null.
 * `outcome` is `complete`, `failed`, or why the attempt was lost.
 */
const ATTEMPTS = `
  WITH final AS (
    SELECT render_id, attempt_id, log_time, 'complete' AS outcome FROM ${ACCEPTED_SCHEMA}.RenderCompleted
    UNION ALL SELECT render_id, attempt_id, log_time, 'failed' FROM ${ACCEPTED_SCHEMA}.RenderFailed WHERE attempt_id IS NOT NULL
    UNION ALL SELECT render_id, attempt_id, log_time, reason FROM ${ACCEPTED_SCHEMA}.AttemptLost
  )
  SELECT
    started.render_id, render.account_id, render.project_id, started.attempt_id, started.n, started.worker_id,
    started.log_time AS assigned_at, progress.log_time AS progressed_at, encoded.log_time AS encoded_at,
    final.log_time AS ended_at, final.outcome,
    encoded.frames, encoded.frames_cached, encoded.engine_ms
  FROM ${ACCEPTED_SCHEMA}.RenderAssigned AS started
  LEFT JOIN main.renders AS render USING (render_id)
  LEFT JOIN ${ACCEPTED_SCHEMA}.RenderProgressed AS progress USING (render_id, attempt_id)
  LEFT JOIN ${ACCEPTED_SCHEMA}.RenderingFinished AS encoded USING (render_id, attempt_id)
  LEFT JOIN final USING (render_id, attempt_id)`;

export const acceptedViews = (
  tables: readonly { readonly type: RecordType; readonly namespace: string }[],
): readonly string[] => [
  `CREATE SCHEMA ${ACCEPTED_SCHEMA}`,
  ...tables.map(
    ({ type, namespace }) => `CREATE VIEW ${ACCEPTED_SCHEMA}.${sqlName(type)} AS ${acceptedOf(type, namespace)}`,
  ),
  `CREATE VIEW main.renders AS ${RENDERS}`,
  `CREATE VIEW main.attempts AS ${ATTEMPTS}`,
];
