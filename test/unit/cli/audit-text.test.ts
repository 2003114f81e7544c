import test from 'ava';
import { auditText } from '../../../cli/audit/audit-text.ts';
import { statisticsReport, statisticsText } from '../../../cli/statistics/statistics-text.ts';
import { bucketOf } from '../../../domain/statistics/histogram.ts';
import { NO_COUNTS } from '../../../domain/statistics/hours.ts';
import type { AuditEntry } from '../../../read-models/audit/documents.ts';

const AT = Date.UTC(2026, 10, 25, 12);

const entry: AuditEntry = {
  ...{ topic: 'catalogue-events', partition: 0, offset: 17, at: AT, actor: 'user:user_1', event_id: 'e' },
  ...{ kind: 'ApiKeyRotated', account_id: 'acc_1', team_ids: ['team_1'], refused: null },
  ids: { key_id: 'key_1', new_key_id: 'key_2' },
  details: { expires_at: null, overlap_until: AT },
};

test('an audit line has the actor, the change and the record', (t) => {
  const text = auditText({ entries: [entry, { ...entry, refused: 'key_revoked', offset: 16 }], next: null });
  const [head = '', first = '', second = ''] = text.split('\n');
  t.regex(head, /^time +actor +action +details +record$/);
  t.regex(
    first,
    /^2026-11-25T12:00:00\.000Z +user:user_1 +rotated the API key +key_id=key_1 new_key_id=key_2 expires_at=none overlap_until=2026-11-25T12:00:00\.000Z +catalogue-events\/0\/17$/,
  );
  t.regex(second, /rotated the API key \(refused: key_revoked\) /);
});

test('an impossible time is shown as the record has it', (t) => {
  const expires_at = 8_640_000_000_000_001;
  const refused = { ...entry, refused: 'invitation_too_long', details: { role: 'member', expires_at } };
  t.regex(auditText({ entries: [refused], next: null }), / expires_at=8640000000000001 /);
});

test('every page but the last says how to continue', (t) => {
  t.regex(auditText({ entries: [entry], next: '1795cat/0/17' }), /\n\nNext page: --after '1795cat\/0\/17'$/);
});

test('statistics show a row for each day and the current state', (t) => {
  const hour = { ...NO_COUNTS, requested: 2, completed: 1, charged_credits: 7, waits: { [bucketOf(900)]: 2 } };
  const now = { initializing: 1, ready: 0, queued: 0, processing: 2, finalizing: 0, complete: 9, failed: 3 };
  const shown = statisticsReport(
    [
      { ...hour, at: AT },
      { ...hour, at: AT + 3_600_000, failed: 1, failures: { cancelled: 1 } },
      { ...hour, at: AT + 86_400_000, durations: { [bucketOf(95_000)]: 1 } },
    ],
    now,
  );
  const lines = statisticsText(shown).split('\n');
  t.regex(lines[1] ?? '', /^2026-11-25 +4 +2 +1 +14 +\d+ ms +\d+ ms +- +-$/);
  t.regex(lines[2] ?? '', /^2026-11-26 +2 +1 +0 +7 +\d+ ms +\d+ ms +1\.\d min +1\.\d min$/);
  t.regex(lines[3] ?? '', /^total +6 +3 +1 +21 /);
  t.deepEqual(lines.slice(4), [
    '',
    'failures: cancelled 1',
    'now: 1 initializing, 0 ready, 0 queued, 2 processing, 0 finalizing',
  ]);
});
