import { isUnverifiedActor } from '../domain/event/meta.ts';
import type { AuditEntry } from '../read-models/audit/documents.ts';
import { csvText } from './csv-text.ts';

const ID_COLUMNS = [
  ...['user_id', 'key_id', 'new_key_id', 'ended_key_ids', 'project_id', 'render_id', 'endpoint_id'],
  ...['invitation_id', 'grant_id'],
];

const COLUMNS = [
  ...['at', 'actor', 'kind', 'refused', 'account_id', 'team_ids', ...ID_COLUMNS, 'details'],
  ...['topic', 'partition', 'offset', 'event_id', 'actor_is_claimed'],
];

const ENTRIES_AT_ONCE = 500;

const textOf = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(' '));

const rowOf = ({ at, ids, team_ids, details, ...entry }: AuditEntry) => ({
  ...Object.fromEntries(Object.entries(ids).map(([name, value]) => [name, textOf(value)])),
  ...entry,
  at: new Date(at).toISOString(),
  actor_is_claimed: isUnverifiedActor(entry.actor),
  team_ids: team_ids.join(' '),
  details: Object.entries(details)
    .map(([name, value]) => `${name}=${value ?? 'none'}`)
    .join('; '),
});

export async function* auditCsv(entries: AsyncIterable<AuditEntry>): AsyncIterable<string> {
  yield csvText(COLUMNS, [], true);
  let rows: object[] = [];
  for await (const entry of entries) {
    rows.push(rowOf(entry));
    if (rows.length < ENTRIES_AT_ONCE) continue;
    yield csvText(COLUMNS, rows, false);
    rows = [];
  }
  if (rows.length > 0) yield csvText(COLUMNS, rows, false);
}
