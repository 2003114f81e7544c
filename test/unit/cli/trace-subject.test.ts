import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { indexCauses } from '../../../cli/trace/causes.ts';
import { readDeliveries } from '../../../cli/trace/deliveries.ts';
import { subjectOfId } from '../../../cli/trace/subject.ts';
import { subjectText } from '../../../cli/trace/subject-text.ts';
import { readSubject, type SubjectTrace } from '../../../cli/trace/subject-trace.ts';
import { subjectTimeline } from '../../../cli/trace/svg/subject-timeline.ts';
import { timelineSvg } from '../../../cli/trace/svg/timeline.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import type { Decoded } from '../../../platform/records/record-log.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';

const START = 1_700_000_000_000;
const NEVER = new AbortController().signal;

const logOf = (records: readonly Decoded[], key = 'rend_1') => ({
  log: {
    bounds: async () => [{ partition: 0, start: 0, end: records.length }],
    replay: async function* (topic: string) {
      for (const offset of records.keys()) {
        const place = { topic, partition: 0, offset, append_time_ms: START + 1_000 * offset };
        yield { ...place, key: Buffer.from(key), value: Buffer.from(String(offset)), headers: {} };
      }
    },
  },
  decode: async (value: Buffer | null) =>
    records[Number(value?.toString())] ?? ({ tag: 'poison', reason: 'no Confluent frame' } as const),
});

const sound = (events: readonly (CatalogueEvent | WebhookEvent)[]): readonly Decoded[] =>
  events.map((record) => ({ tag: 'record', record }));

const USE = { renders: null, deliveries: null };
const NO_CAUSE = () => null;

const read = async (id: string, records: readonly Decoded[], key?: string, now = START) => {
  const subject = subjectOfId(id);
  if (subject === null) throw new Error(`${id} is nothing of the catalogue`);
  return await readSubject(logOf(records, key), subject, { now, stop: NEVER, onProgress: () => undefined });
};

const traced = async (
  t: ExecutionContext,
  id: string,
  events: readonly CatalogueEvent[] = ALL,
  now?: number,
): Promise<SubjectTrace> => {
  const trace = await read(id, sound(events), undefined, now);
  if (E.isRight(trace)) return trace.right;
  t.fail(JSON.stringify(trace.left));
  throw new Error(id);
};

const ALL: readonly CatalogueEvent[] = [
  ...CATALOGUE,
  { type: 'ProjectErased', rules: 1, meta: metaBy('operator:ops'), project_id: 'proj_1' },
  { type: 'UserErased', rules: 1, meta: metaBy('operator:ops'), user_id: 'user_2' },
  { type: 'AccountErased', rules: 1, meta: metaBy('operator:ops'), account_id: 'acc_1' },
];

const STATUSES = {
  acc_1: ['active', 'erased'],
  team_1: ['active'],
  user_2: ['active', 'erased'],
  key_1: ['in force', 'replaced', 'revoked'],
  proj_1: ['no version', 'version 1', 'erased'],
  whe_1: ['enabled', 'disabled', 'enabled', 'deleted'],
  inv_1: ['open', 'accepted'],
} as const;

for (const [id, expected] of Object.entries(STATUSES))
  test(`the trace of ${id} has every record that names it, with its state`, async (t) => {
    const trace = await traced(t, id);
    const told = new Set(trace.events.map(({ offset }) => offset));
    for (const [offset, event] of ALL.entries())
      t.is(Object.values(event).flat().includes(id) && !told.has(offset), false, `${offset}: ${event.type}`);
    const statuses = trace.statuses.map(({ status }) => status);
    t.deepEqual(statuses, [...expected]);
  });

test('no name, address, secret or document is shown, whatever the log has', async (t) => {
  const texts = ['Acme', 'Studio', 'CI', 'Sale', 'hooks.example.com', 'c2VhbGVk', 'vr_abcd', 'wxyz', 'email'];
  for (const id of Object.keys(STATUSES)) {
    const trace = await traced(t, id);
    const shown = [
      subjectText(trace, USE, NO_CAUSE),
      JSON.stringify(trace),
      timelineSvg(subjectTimeline(trace, USE, NO_CAUSE)),
    ];
    for (const text of texts) for (const one of shown) t.notRegex(one, new RegExp(`\\b${text}\\b`), `${id}: ${text}`);
  }
});

const [account, team, user] = [
  {
    type: 'AccountCreated',
    rules: 1,
    meta: metaBy('operator:ops'),
    account_id: 'acc_1',
    name: 'A',
    unlimited_credits: false,
  },
  { type: 'TeamCreated', rules: 1, meta: metaBy('operator:ops'), account_id: 'acc_1', team_id: 'team_1', name: 'T' },
  { type: 'UserRegistered', rules: 1, meta: metaBy('operator:ops'), user_id: 'user_1', email: null },
] as const satisfies readonly CatalogueEvent[];

test('actions and refusals of a person are in the traces of person and account', async (t) => {
  const renamed = {
    type: 'TeamRenamed',
    rules: 1,
    meta: metaBy('user:user_1'),
    team_id: 'team_1',
    name: 'Mine',
  } as const;
  const events = [account, team, user, renamed];
  t.like((await traced(t, 'user_1', events)).events.at(-1), {
    ...{ type: 'TeamRenamed', verdict: 'ignored', reason: 'admin_needed', relation: 'by', offset: 3, status: 'active' },
  });
  t.like((await traced(t, 'acc_1', events)).events.at(-1), { relation: 'within', reason: 'admin_needed' });
  t.like((await traced(t, 'team_1', events)).events.at(-1), { relation: 'about', actor: 'user:user_1' });
});

test('the trace shows a key as expired from its expiry time on', async (t) => {
  const issued: CatalogueEvent = {
    ...{ type: 'ApiKeyIssued', rules: 1, meta: metaBy('operator:ops'), key_id: 'key_1', account_id: 'acc_1' },
    ...{ user_id: null, team_ids: ['team_1'], name: '', secret_sha256: 'aa', prefix: '', last4: '' },
    ...{ expires_at: START + 60_000, scopes: null },
  };
  const statusesAt = async (now: number) => (await traced(t, 'key_1', [account, team, issued], now)).statuses;
  t.like(await statusesAt(START + 59_999), { length: 1, 0: { status: 'in force', to: null, ms: null } });
  t.like(await statusesAt(START + 60_000), {
    length: 2,
    0: { ms: 58_000 },
    1: { status: 'expired', from: START + 60_000 },
  });
});

test('a trace of an erased account says who erased it and that records remain', async (t) => {
  const erased = { type: 'AccountErased', rules: 1, meta: metaBy('operator:privacy'), account_id: 'acc_1' } as const;
  const trace = await traced(t, 'acc_1', [account, erased]);
  t.regex(
    subjectText(trace, USE, NO_CAUSE),
    /Erased by operator:privacy \(claimed\), 2023-11-14T22:13:21\.000Z: .* stay in the log/,
  );
});

test('an id without records is refused, and one with only refused records lacks status', async (t) => {
  t.like(await read('acc_2', sound([account])), {
    left: { tag: 'refused', message: 'the log has no record of account acc_2' },
  });
  const renamed = {
    type: 'AccountRenamed',
    rules: 1,
    meta: metaBy('operator:ops'),
    account_id: 'acc_2',
    name: 'B',
  } as const;
  const trace = await traced(t, 'acc_2', [account, renamed]);
  t.like(trace, { status: null, statuses: [], events: { length: 1, 0: { reason: 'account_unknown' } } });
  t.regex(subjectText(trace, USE, NO_CAUSE), /This account was never created/);
});

test('a record of newer rules ends the trace', async (t) => {
  const newer = { ...account, type: 'AccountRenamed', rules: 99 } as const;
  const trace = await traced(t, 'acc_1', [account, newer, team]);
  t.like(trace, {
    unread_from: 1,
    events: { length: 2, 1: { verdict: 'unknown', reason: 'version 99 of the rules is newer than this renderctl' } },
  });
  t.regex(subjectText(trace, USE, NO_CAUSE), /too old for the record at offset 1/);
});

test('an unreadable record is in the trace of its key', async (t) => {
  const records: readonly Decoded[] = [...sound([account, team]), { tag: 'poison', reason: 'no Confluent frame' }];
  t.like(await read('team_1', records, 'team_1/user_1'), {
    right: { events: { length: 2, 1: { verdict: 'poison' } } },
  });
  t.like(await read('team_1', records, 'team_2/user_1'), { right: { events: { length: 1 } } });
});

test('deliveries are folded: attempts with answers, and ignored events', async (t) => {
  const about = { meta: metaBy('relay:rly_1'), delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: 'rend_1' };
  const planned: WebhookEvent = {
    ...{ ...about, type: 'DeliveryPlanned', team_id: 'team_1', seq: 6, event: 'render.complete' },
    ...{ status_offset: 3, repeats: null, meta: { ...about.meta, event_id: 'e2', causation_id: 'e1/accepted' } },
  };
  const attempted = (n: number, status: number | null, fault: string | null): WebhookEvent => ({
    ...{ ...about, type: 'DeliveryAttempted', n, started_at: START + n, duration_ms: 40, body_sha256: 'aa' },
    ...{ succeeded: fault === null, status, fault },
  });
  const succeeded: WebhookEvent = { ...about, type: 'DeliverySucceeded', attempts: 2 };
  const events = [planned, attempted(1, null, 'timeout'), planned, attempted(2, 204, null), succeeded];
  const { rows, deliveries } = await readDeliveries(logOf(sound(events)), 'rend_1');
  t.deepEqual(
    rows.map(({ verdict, reason, detail }) => reason ?? `${verdict} ${detail}`),
    [
      'accepted render.complete',
      'accepted attempt 1: timeout, 40 ms',
      'repeated',
      'accepted attempt 2: 204, 40 ms',
      'accepted after 2 attempts',
    ],
  );
  t.like(deliveries, {
    length: 1,
    0: { stage: 'succeeded', planned_at: START, ended_at: START + 4_000, attempts: { length: 2, 1: { status: 204 } } },
  });
  const cause = { event_id: 'e1', causation_id: null, partition: 2, offset: 7 };
  const causeOf = indexCauses([{ topic: 'render-events', rows: [cause] }]);
  t.deepEqual(causeOf({ causation_id: 'e1/accepted' }), { topic: 'render-events', partition: 2, offset: 7 });
});
