import { Writable } from 'node:stream';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { creditStatement } from '../../../catalogue/statement.ts';
import { newestStatementPage } from '../../../catalogue/statement-page.ts';
import {
  CSV_FORMAT,
  JSON_FORMAT,
  type StatementFormat,
  TABLE_FORMAT,
} from '../../../cli/statement/statement-formats.ts';
import { writeStatement } from '../../../cli/statement/write-statement.ts';
import type { StatementLine } from '../../../domain/credits/statement.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../../../read-models/catalogue/management.ts';
import type { Charge, Period } from '../../../read-models/renders/charges.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import { metaBy } from '../../helpers/render-events.ts';

const ALWAYS: Period = { since: null, until: null };
const DAY = Date.UTC(2026, 10, 21);

const charge = (at: number, credits: number, name = 'Spring sale'): Charge => ({
  render_id: `rend_${at - DAY}`,
  name,
  project_id: 'proj_1',
  credits,
  at,
});

/** Grants of 100 credits, an hour apart; the log has the authors of all but the last. */
const GRANTS = [0, 1, 2].map((n) => ({
  kind: 'credit_grant' as const,
  id: `acc_1/grant_${n}`,
  account_id: 'acc_1',
  credits: 100,
  created_at: DAY + n * 3_600_000,
  offset: n,
}));

const isWithin = ({ since, until }: Period, at: number): boolean =>
  (since === null || at >= since) && (until === null || at < until);

const world = (charges: Iterable<Charge>) => {
  const read_model = {
    find: async (kind: string, id: string) =>
      id === 'acc_1'
        ? { kind, id, name: 'Acme', unlimited_credits: false, granted_credits: 300, created_at: DAY }
        : null,
    grantsOf: async () => GRANTS.toReversed(),
    charges: {
      during: async function* (_account_id: string, period: Period) {
        for (const one of charges) if (isWithin(period, one.at)) yield one;
      },
      sumBefore: async (_account_id: string, before: number) =>
        [...charges].filter(({ at }) => at < before).reduce((sum, { credits }) => sum + credits, 0),
    },
  } as unknown as CatalogueReadModel;
  const records = {
    log: { read: async ([{ offset = 0 } = {}]: { offset?: number }[]) => [offset < 2 ? recordAt(offset) : null] },
    decode: async () => ({ tag: 'record', record: { type: 'CreditsGranted', meta: metaBy('operator:on-call') } }),
  } as unknown as RecordLog;
  return { read_model, records };
};

const written = async (charges: Iterable<Charge>, format: StatementFormat, period: Period = ALWAYS) => {
  const { read_model, records } = world(charges);
  const statement = await creditStatement(read_model, records, 'acc_1', period);
  if (E.isLeft(statement)) throw new Error(statement.left.tag);
  const chunks: string[] = [];
  const screen = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString('utf8'));
      done();
    },
  });
  const ended = await writeStatement(screen, statement.right, format, new AbortController().signal);
  return { text: chunks.join(''), chunks, ended };
};

const CHARGES = [charge(DAY + 1_000, 8), charge(DAY + 3_600_000, 12, '=2+3'), charge(DAY + 8_000_000, 90)];

test('each grant and charge has a line with its balance, grants first', async (t) => {
  const { text } = await written(CHARGES, TABLE_FORMAT);
  t.is(
    text,
    `at                           credits     balance  entry
2026-11-21T00:00:00.000Z        +100         100  grant_0, granted by operator:on-call (claimed)
2026-11-21T00:00:01.000Z          -8          92  rend_1000 Spring sale
2026-11-21T01:00:00.000Z        +100         192  grant_1, granted by operator:on-call (claimed)
2026-11-21T01:00:00.000Z         -12         180  rend_3600000 =2+3
2026-11-21T02:00:00.000Z        +100         280  grant_2, granted by unknown
2026-11-21T02:13:20.000Z         -90         190  rend_8000000 Spring sale
                                             190  closing balance: 300 granted, 110 charged
`,
  );
});

test('a period begins with the earlier balance, and excludes its end', async (t) => {
  const period = { since: DAY + 3_600_000, until: DAY + 7_200_000 };
  const { text } = await written(CHARGES, JSON_FORMAT, period);
  t.like(JSON.parse(text), {
    account: { id: 'acc_1', name: 'Acme' },
    ...period,
    opening_balance: 92,
    data: [
      { type: 'grant', credits: 100, balance: 192, grant_id: 'grant_1', granted_by: 'operator:on-call' },
      { type: 'charge', credits: 12, balance: 180, render_id: 'rend_3600000', project_id: 'proj_1' },
    ],
    granted_credits: 100,
    charged_credits: 12,
    closing_balance: 180,
  });
});

test('the CSV adds up to the balance, and render names are not formulas', async (t) => {
  const { text } = await written(CHARGES, CSV_FORMAT, { since: DAY + 2_000, until: null });
  t.is(
    text,
    `at,type,credits,balance,grant_id,granted_by,render_id,render_name,project_id
2026-11-21T00:00:02.000Z,opening_balance,92,92,,,,,
2026-11-21T01:00:00.000Z,grant,100,192,grant_1,operator:on-call,,,
2026-11-21T01:00:00.000Z,charge,-12,180,,,rend_3600000,'=2+3,proj_1
2026-11-21T02:00:00.000Z,grant,100,280,grant_2,unknown,,,
2026-11-21T02:13:20.000Z,charge,-90,190,,,rend_8000000,Spring sale,proj_1
`,
  );
});

test('a statement without lines is complete in each format', async (t) => {
  const none = { since: DAY - 2, until: DAY - 1 };
  t.deepEqual(JSON.parse((await written([], JSON_FORMAT, none)).text).data, []);
  t.is((await written([], CSV_FORMAT, none)).text.split('\n').length, 3);
  t.regex((await written([], TABLE_FORMAT, none)).text, /opening balance\n.*closing balance: 0 granted, 0 charged\n$/);
});

test('a long statement is written page by page while it is read', async (t) => {
  const many = 2_600;
  let read = 0;
  const counted = function* () {
    for (let n = 0; n < many; n += 1) {
      read += 1;
      yield charge(DAY + n, 1);
    }
  };
  const { chunks, text } = await written({ [Symbol.iterator]: counted }, JSON_FORMAT);
  t.is(read, many);
  t.is(JSON.parse(text).data.length, many + 3);
  t.true(chunks.length > 5);
  t.true(chunks.every((chunk) => chunk.split('\n').length <= 502));
});

test('Ctrl-C ends a statement within a page', async (t) => {
  const { read_model, records } = world(Array.from({ length: 5_000 }, (_, n) => charge(DAY + n, 1)));
  const statement = await creditStatement(read_model, records, 'acc_1', ALWAYS);
  if (E.isLeft(statement)) return t.fail();
  let lines = 0;
  const screen = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines += chunk.toString('utf8').split('\n').length;
      done();
    },
  });
  const stopped = await writeStatement(screen, statement.right, TABLE_FORMAT, AbortSignal.abort());
  t.deepEqual(stopped, E.left({ tag: 'interrupted' }));
  t.true(lines < 600);
});

test('a missing account has no statement', async (t) => {
  const { read_model, records } = world([]);
  t.deepEqual(
    await creditStatement(read_model, records, 'acc_2', ALWAYS),
    E.left({ tag: 'missing', kind: 'account', id: 'acc_2' }),
  );
});

test('pages of the newest lines are the whole statement, each line once', async (t) => {
  const HOUR = 3_600_000;
  // Two at the same time, some within an hour, and one long ago.
  const times = [-900 * HOUR, 1, 2 * HOUR, 2 * HOUR + 5, 30 * HOUR, 30 * HOUR, 30 * HOUR + 1];
  const charges = times.map((at, n) => ({ ...charge(DAY + at, n + 1), render_id: `rend_${n}` }));
  const { read_model, records } = world(charges);
  const whole = await creditStatement(read_model, records, 'acc_1', ALWAYS);
  if (E.isLeft(whole)) return t.fail();
  const lines: StatementLine[] = [];
  for await (const line of whole.right.lines) lines.push(line);
  t.is(lines.length, times.length + GRANTS.length);
  for (const [size, since] of [
    [1, null],
    [3, null],
    [100, null],
    [2, DAY],
  ] as const) {
    const paged: unknown[] = [];
    for (let before: string | null = null; ; ) {
      const period = { since, until: null };
      const page = await newestStatementPage(read_model, records, 'acc_1', period, before, size, DAY + 31 * HOUR);
      if (E.isLeft(page)) return t.fail();
      paged.push(...page.right.map(({ line }) => line));
      before = page.right.at(-1)?.position ?? null;
      if (page.right.length < size || before === null) break;
    }
    t.deepEqual(paged, lines.filter(({ at }) => since === null || at >= since).toReversed(), `${size} since ${since}`);
  }
});
