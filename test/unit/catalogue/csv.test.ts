import test from 'ava';
import { auditCsv } from '../../../catalogue/audit-csv.ts';
import { csvText } from '../../../catalogue/csv-text.ts';
import { statisticsCsv } from '../../../catalogue/statistics-csv.ts';
import { bucketOf } from '../../../domain/statistics/histogram.ts';
import { NO_COUNTS } from '../../../domain/statistics/hours.ts';
import type { AuditEntry } from '../../../read-models/audit/documents.ts';

const AT = Date.UTC(2026, 10, 25, 12);

const entry = (offset: number, change: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ topic: 'catalogue-events', partition: 0, offset, at: AT, actor: 'user:user_1', event_id: `event_${offset}` },
  ...{ kind: 'ApiKeyIssued', account_id: 'acc_1', team_ids: ['team_1', 'team_2'], refused: null },
  ids: { key_id: 'key_1', account_id: 'acc_1', team_ids: ['team_1', 'team_2'] },
  details: { expires_at: null },
  ...change,
});

const written = async (entries: readonly AuditEntry[]): Promise<readonly string[]> => {
  const parts: string[] = [];
  const read = async function* () {
    yield* entries;
  };
  for await (const part of auditCsv(read())) parts.push(part);
  return parts;
};

test('the CSV of an audit has a header and a row for each entry', async (t) => {
  const text = (await written([entry(7), entry(8, { refused: 'admin_needed', account_id: null, team_ids: [] })])).join(
    '',
  );
  t.is(
    text,
    [
      'at,actor,kind,refused,account_id,team_ids,user_id,key_id,new_key_id,ended_key_ids,project_id,render_id,' +
        'endpoint_id,invitation_id,grant_id,details,topic,partition,offset,event_id,actor_is_claimed',
      '2026-11-25T12:00:00.000Z,user:user_1,ApiKeyIssued,,acc_1,team_1 team_2,,key_1,,,,,,,,expires_at=none,' +
        'catalogue-events,0,7,event_7,false',
      '2026-11-25T12:00:00.000Z,user:user_1,ApiKeyIssued,admin_needed,,,,key_1,,,,,,,,expires_at=none,' +
        'catalogue-events,0,8,event_8,false',
      '',
    ].join('\n'),
  );
});

test('an audit is written while it is read', async (t) => {
  const parts = await written(Array.from({ length: 1_200 }, (_, n) => entry(n)));
  t.deepEqual(
    parts.map((part) => part.trimEnd().split('\n').length),
    [1, 500, 500, 200],
  );
});

test('no cell of an audit is a formula', async (t) => {
  for (const formula of ['=cmd|x', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1']) {
    const odd = entry(1, {
      ...{ actor: formula, account_id: formula, team_ids: [formula], event_id: formula },
      ids: { key_id: formula, user_id: formula },
    });
    const [, row = ''] = await written([odd]);
    const cells = row.split(',').map((cell) => cell.replace(/^"/, ''));
    t.is(cells.filter((cell) => cell.startsWith(formula)).length, 0, formula);
    t.true(cells.filter((cell) => cell.startsWith(`'${formula}`)).length >= 4, formula);
  }
});

test('a text with a separator of another locale stays one cell', (t) => {
  const rows = [
    ['a;b', 'c\td', 'e,f', true, -5, -5n],
    ['=1;2', null, '"', false, 1.5, 2n ** 64n],
  ];
  t.is(
    csvText(['first', 'second;', 'third', 'b', 'n', 'w'], rows, true),
    [
      'first,"second;",third,b,n,w',
      '"a;b","c\td","e,f",true,-5,-5',
      `"'=1;2",,"""",false,1.5,18446744073709551616`,
      '',
    ].join('\n'),
  );
});

test('the CSV of statistics has a row for each hour', (t) => {
  const counts = { ...NO_COUNTS, requested: 3, completed: 1, failed: 1, failures: { cancelled: 1 } };
  const hour = { ...counts, at: AT, charged_credits: 7, waits: { [bucketOf(1_000)]: 2 } };
  const [head, row, end] = statisticsCsv([hour]).split('\n');
  t.is(
    head,
    'at,requested,completed,failed,failures,charged_credits,wait_p50_ms,wait_p95_ms,duration_p50_ms,duration_p95_ms',
  );
  t.regex(row ?? '', /^2026-11-25T12:00:00\.000Z,3,1,1,cancelled=1,7,(9|10)\d\d?,(9|10)\d\d?,,$/);
  t.is(end, '');
});
