import test from 'ava';
import { nextBatch } from '../../../dashboard/source/sheet/batches.ts';
import { checkInBatches } from '../../../dashboard/source/sheet/check-batches.ts';
import { matchColumns, videoNameColumn, withTarget } from '../../../dashboard/source/sheet/columns.ts';
import { readinessOf, rowFaults } from '../../../dashboard/source/sheet/counts.ts';
import { filmFileName } from '../../../dashboard/source/sheet/file-names.ts';
import { isIsoDate } from '../../../dashboard/source/sheet/iso-date.ts';
import { parseTable } from '../../../dashboard/source/sheet/parse-table.ts';
import { refusalText } from '../../../dashboard/source/sheet/refusal-text.ts';
import { cellFault, cellValue, openSheetRows } from '../../../dashboard/source/sheet/rows.ts';
import {
  decodeSheet,
  orderKey,
  type Sheet,
  withCell,
  withOrders,
  withOutcomes,
} from '../../../dashboard/source/sheet/sheet.ts';
import { parseIsoDate } from '../../../domain/composition/iso-date.ts';

const tableOf = (text: string) => {
  const parsed = parseTable(text);
  if (!('table' in parsed)) throw new Error(parsed.fault);
  const { columns, rows } = parsed.table;
  return { columns, cells: rows.map(({ cells }) => cells), lines: rows.map(({ line }) => line) };
};

const faultOf = (text: string): string | null => {
  const parsed = parseTable(text);
  return 'fault' in parsed ? parsed.fault : null;
};

test('a table is read from pasted cells, and from CSV of any locale', (t) => {
  const expected = { columns: ['title', 'price'], cells: [['Oslo, Norway', '1']], lines: [2] };
  t.deepEqual(tableOf('title\tprice\r\nOslo, Norway\t1\r\n'), expected);
  t.deepEqual(tableOf('\uFEFFtitle,price\r\n"Oslo, Norway",1'), expected);
  t.deepEqual(tableOf('title;price\nOslo, Norway;1\n\n'), expected);
});

test('quotes, lines in cells and formulas of a table stay text', (t) => {
  const text = 'title,note\n"Two\nlines","He said ""no"""\n=1+1,5" screen\n@x,\n';
  t.deepEqual(tableOf(text), {
    columns: ['title', 'note'],
    cells: [
      ['Two\nlines', 'He said "no"'],
      ['=1+1', '5" screen'],
      ['@x', ''],
    ],
    lines: [2, 4, 5],
  });
});

test('a table that cannot be read names its line or its limit', (t) => {
  t.is(faultOf(''), 'The table is empty. Its first line names the columns.');
  t.is(faultOf('title\n'), 'The table has no rows below the names of its columns.');
  t.is(faultOf('title\nOslo\n"Bergen\n'), 'A quote that opens at line 3 or later has no end.');
  t.is(faultOf('title\nOslo\nBergen,1\n'), 'Line 3 has 2 cells for 1 columns. Check its quotes.');
  t.is(
    faultOf(`${Array.from({ length: 10_000 }, (_, n) => `c${n}`).join(',')}\n1`),
    'Line 1 has 10,000 columns. A sheet has at most 200.',
  );
  t.is(faultOf(`title\n${'x\n'.repeat(1_001)}`), 'A sheet has at most 1,000 rows. Remove those from line 1002.');
  t.is(faultOf('x'.repeat(1_000_001)), 'The table has more than 1,000,000 characters. Split it.');
  t.regex(faultOf('PK\u0003\u0004…') ?? '', /spreadsheet file/);
  t.regex(faultOf('a\0b') ?? '', /not a text file/);
});

const FIELDS = [
  { key: 'title', label: 'Headline', kind: 'text' },
  { key: 'band', label: null, kind: 'color' },
  { key: 'price', label: null, kind: 'number' },
  { key: 'logo', label: null, kind: 'image' },
].map((field) => ({
  ...{ description: null, widget: null, default_value: '', minimum: null, maximum: null, whole: false },
  ...{ max_length: null, options: null, ...field },
})) as unknown as Parameters<typeof openSheetRows>[0];

test('columns match fields by key or label, without case, each once', (t) => {
  t.deepEqual(matchColumns(['HEADLINE', ' Band ', 'Name', 'x', 'title', 'name'], FIELDS), [
    ...['field:title', 'field:band', 'name', 'ignore', 'ignore', 'ignore'],
  ]);
  t.deepEqual(matchColumns(['name', '__proto__'], [{ key: 'name', label: null }]), ['field:name', 'ignore']);
  t.is(videoNameColumn(FIELDS), 'name');
  t.is(videoNameColumn([{ key: 'person', label: 'Name' }]), 'video name');
  t.deepEqual(matchColumns(['Video name', 'Name'], [{ key: 'person', label: 'Name' }]), ['name', 'field:person']);
  t.deepEqual(withTarget(['name', 'ignore', 'field:band'], 1, 'name'), ['ignore', 'name', 'field:band']);
});

test('the browser and the service take the same dates', (t) => {
  const days = [
    '2024-02-29',
    '2025-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-12-31',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
  ];
  const times = ['', 'T', 'T12:00', 'T12:00Z', 'T12:00:30.5+02:00', 'T25:00', 'T12:60Z', 'T12', 'T12:00:00.1234567890'];
  let valid = 0;
  for (const date of days.flatMap((day) => times.map((time) => `${day}${time}`))) {
    t.is(isIsoDate(date), parseIsoDate(date) !== null, date);
    valid += isIsoDate(date) ? 1 : 0;
  }
  t.is(valid, 8);
});

const SHEET: Sheet = {
  ...{ id: 'sheet_1', draft: false, orders: null },
  table: {
    columns: ['name', 'title', 'band', 'price'],
    rows: [
      { line: 2, cells: ['Oslo\u0007', 'A\r\nB', '#f80', ' 12 '] },
      { line: 3, cells: ['', '', 'red', 'x'] },
    ],
  },
  targets: ['name', 'field:title', 'field:band', 'field:price'],
};

test('rows have the spelling of the service, and a fault for each wrong cell', (t) => {
  const [first, second] = openSheetRows(FIELDS, 'Film', null)(SHEET);
  t.deepEqual(first, {
    ...{ row: 0, name: 'Oslo', faults: new Map() },
    values: { title: 'A\nB', band: '#FF8800', price: '12' },
  });
  t.is(second?.name, 'Film 2');
  t.deepEqual(second?.values, { band: 'RED', price: 'x' });
  t.deepEqual(
    [...(second?.faults ?? [])],
    [
      ['field:band', 'Must be a colour like #E30613.'],
      ['field:price', 'Must be a number.'],
    ],
  );
  t.deepEqual(
    [...(openSheetRows(FIELDS, 'Film', null)(withCell(SHEET, 0, 0, 'x'.repeat(251)))[0]?.faults ?? [])],
    [['name', 'Must have at most 250 characters.']],
  );
});

test('only rows that changed are read again', (t) => {
  const read = openSheetRows(FIELDS, 'Film', null);
  const [first, second] = read(SHEET);
  const changed = read(withCell(SHEET, 0, 1, 'B'));
  t.is(changed[0]?.values.title, 'B');
  t.is(changed[1], second, 'the same object');
  const other = read({ ...SHEET, targets: ['ignore', 'field:title', 'ignore', 'ignore'] });
  t.deepEqual(other[0]?.values, { title: 'A\nB' }, 'another match of the columns');
  t.deepEqual(read(SHEET)[0], first);
});

test('each kind of cell is checked in the browser', (t) => {
  const of = (kind: Parameters<typeof cellFault>[0]['kind'], value: string, rest: object = {}) => {
    const [field] = FIELDS;
    if (field === undefined) throw new Error('there are no fields');
    return cellFault(Object.assign({ ...field, kind }, rest), value, ['logo-1']);
  };
  t.is(of('number', '1e3', { minimum: 0, maximum: 1_000, whole: true }), null);
  t.is(of('number', '0x10'), 'Must be a number.');
  t.is(of('number', '1.5', { whole: true }), 'Must be a whole number.');
  t.is(of('number', '-1', { minimum: 0 }), 'Must be at least 0.');
  t.is(of('number', '9', { maximum: 8 }), 'Must be at most 8.');
  t.is(of('toggle', cellValue('toggle', ' TRUE ')), null);
  t.is(of('toggle', 'yes'), 'Must be true or false.');
  t.is(of('date', cellValue('date', ' 2026-11-30 ')), null);
  t.is(of('date', '2026-11-30T12:00Z'), null);
  for (const date of ['30.11.2026', '2026-13-01', '2026', '2026-02-30', '2025-02-29', '2026-11-30T', '2026-11-30Tx'])
    t.is(of('date', date), 'Must be a date like 2026-11-30.', date);
  t.is(of('text', '👩‍🚀', { max_length: 3 }), null);
  t.is(of('text', 'abcd', { max_length: 3 }), 'Must have at most 3 characters.');
  t.is(of('text', 'c', { options: ['a', 'b'] }), 'Must be one of: a, b.');
  t.is(of('image', 'https://example.com/a.png'), null);
  t.is(of('image', `upload_${'0'.repeat(32)}`), null);
  t.is(of('image', 'logo-1'), null);
  t.is(of('image', 'logo-2'), 'Must be an https address, an upload or a file of the project.');
  for (const url of ['http://example.com/a.png', 'file:///etc/passwd', 'https:///a'])
    t.is(of('image', url), 'Use an address that begins with https://.', url);
});

const check = (price_credits: number | null, faults: readonly { path: string; message: string }[] = []) => ({
  ...{ valid: faults.length === 0, faults: [...faults], warnings: [], frames: null, duration_s: null, price_credits },
  layers: null,
});

test('faults of the service are shown at their cell, or at the row', (t) => {
  const { faults, others } = rowFaults(
    { faults: new Map() },
    FIELDS,
    check(null, [
      { path: 'values.title', message: 'is too wide' },
      { path: '', message: 'the project has no such template' },
    ]),
  );
  t.deepEqual([...faults], [['field:title', 'Is too wide.']]);
  t.deepEqual(others, ['The project has no such template.']);
  t.is(refusalText({ error: 'values.title: has expired', param: 'values.title' }, FIELDS), 'Headline: has expired.');
  t.is(refusalText({ error: 'not enough credits' }, FIELDS), 'Not enough credits.');
});

test('the price of a sheet is that of its rows without faults', (t) => {
  const row = { faults: new Map(), others: [] };
  t.deepEqual(
    readinessOf([
      { ...row, row: 0, check: check(10) },
      { ...row, row: 1, check: undefined },
      { ...row, row: 2, check: check(null, [{ path: '', message: 'x' }]), others: ['X.'] },
      { ...row, row: 3, check: check(5) },
    ]),
    { valid: [0, 3], price: 15, faulty: 1, unchecked: 1 },
  );
});

test('a row that is ordered again ignores the outcome of its former order', (t) => {
  const ordered = withOrders(SHEET, [0, 1]);
  const [first] = ordered.orders ?? [];
  t.is(first && orderKey(ordered, first), 'sheet-sheet_1-1-1');
  const failed = { row: 0, attempt: 1, render_id: null, refusal: 'No.' };
  const again = withOrders(withOutcomes(ordered, [failed]), [0]);
  t.deepEqual(withOutcomes(again, [{ ...failed, render_id: 'rend_late', refusal: null }]).orders, [
    { row: 0, attempt: 2, render_id: null, refusal: null },
    { row: 1, attempt: 1, render_id: null, refusal: null },
  ]);
});

test('a sheet of another version of the page is not read', (t) => {
  t.deepEqual(decodeSheet(JSON.stringify(withOrders(SHEET, [0]))), withOrders(SHEET, [0]));
  for (const text of ['', 'null', '{}', JSON.stringify({ ...SHEET, targets: ['x'] })]) t.is(decodeSheet(text), null);
  t.is(decodeSheet(JSON.stringify({ ...SHEET, orders: [{ row: 0 }] })), null);
});

test('rows are sent in batches that the service takes', (t) => {
  t.is(nextBatch(Array.from({ length: 120 }, () => 'x')).length, 50);
  t.is(nextBatch(Array.from({ length: 10 }, () => 'x'.repeat(100_000))).length, 2);
  t.is(nextBatch(['x'.repeat(300_000)]).length, 1);
  t.is(nextBatch([]).length, 0);
});

test('names of files in a ZIP are safe on any system, and in order', (t) => {
  t.is(filmFileName(2, 'Winter sale'), '003-Winter sale.mp4');
  t.is(filmFileName(0, '../../etc/passwd'), '001-.. .. etc passwd.mp4');
  t.is(filmFileName(999, 'a\u202egpj.\u0000:*'), '1000-a gpj.mp4');
  t.is(filmFileName(0, ' \u0001 '), '001.mp4');
  t.is(filmFileName(0, 'x'.repeat(300)).length, 88);
});

const CHECK = {
  ...{ valid: true, faults: [], warnings: [] },
  ...{ frames: 1, duration_s: 1, price_credits: 1, layers: null },
};

const numbered = (length: number) => new Map(Array.from({ length }, (_, n) => [`row ${n}`, { title: `${n}` }]));

test('rows are checked in batches, and those without a result again', async (t) => {
  const sizes: number[] = [];
  const found = new Map<string, unknown>();
  const send = async (rows: readonly { readonly values: Readonly<Record<string, string>> }[]) => {
    sizes.push(rows.length);
    const some = sizes.length === 1 ? rows.slice(0, 30) : rows;
    return some.map(({ values }) => ({ ...CHECK, faults: [{ path: '', message: values.title ?? '' }] }));
  };
  const never = new AbortController().signal;
  await checkInBatches(numbered(250), send, (key, { faults }) => found.set(key, faults[0]?.message), never);
  t.deepEqual(sizes, [100, 100, 100, 20]);
  t.deepEqual([...found].sort(), [...numbered(250)].map(([key, { title }]) => [key, title]).sort());
});

test('checks of rows end with the first batch that fails, or without a reader', async (t) => {
  let sent = 0;
  const count = async (): Promise<readonly (typeof CHECK)[]> => {
    sent += 1;
    throw new Error('refused');
  };
  const ended = new AbortController();
  const run = () => checkInBatches(numbered(1_000), count, () => t.fail(), ended.signal);
  await t.throwsAsync(run, { message: 'refused' });
  t.is(sent, 2, 'both batches in progress');
  ended.abort();
  await run();
  t.is(sent, 2);
});
