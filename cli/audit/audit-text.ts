import type { AuditDetails } from '../../domain/audit/audited.ts';
import { auditPhrase } from '../../domain/audit/kinds.ts';
import { actorText } from '../../domain/event/meta.ts';
import type { AuditPage } from '../../read-models/audit/audit.ts';
import { cellText, tableText, timeText } from '../table.ts';

/** Members with times in ms since the epoch. */
const TIMES: ReadonlySet<string> = new Set(['expires_at', 'overlap_until']);

const valueText = (name: string, value: string | number | boolean | readonly string[] | null): string => {
  if (value === null) return 'none';
  if (typeof value === 'number' && TIMES.has(name)) return value <= 0 ? 'immediately' : timeText(value);
  return typeof value === 'object' ? value.join(' ') : String(value);
};

/** `team_id=team_1 role=member` */
export const auditFieldsText = ({ ids, details }: AuditDetails): string =>
  [...Object.entries(ids), ...Object.entries(details)]
    .map(([name, value]) => `${name}=${valueText(name, value)}`)
    .join(' ');

/** `user:user_1  revoked the API key  key_id=key_1  catalogue-events/0/17` */
export const auditText = ({ entries, next }: AuditPage): string => {
  const table = tableText(
    ['time', 'actor', 'action', 'details', 'record'],
    entries.map((entry) => [
      timeText(entry.at),
      actorText(entry.actor),
      entry.refused === null ? auditPhrase(entry.kind) : `${auditPhrase(entry.kind)} (refused: ${entry.refused})`,
      auditFieldsText(entry),
      `${entry.topic}/${entry.partition}/${entry.offset}`,
    ]),
  );
  return next === null ? table : `${table}\n\nNext page: --after '${cellText(next)}'`;
};
