import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { parseBatchColumns } from '../../../cli/batch/columns.ts';
import { type BatchRowRequest, batchRowRequests } from '../../../cli/batch/row-orders.ts';

const TEMPLATE = {
  id: 'tpl_card',
  name: 'Card',
  fields: [
    { key: 'headline', kind: 'text', default_value: 'Hello' },
    { key: 'accent', kind: 'color', default_value: '#112233' },
    { key: 'size', kind: 'number', default_value: '20' },
    { key: 'shown', kind: 'toggle', default_value: 'true' },
    { key: 'logo', kind: 'image', default_value: 'logo' },
  ],
};

type Cells = readonly (string | null)[];

const orders = (
  heading: readonly string[],
  cells: readonly Cells[],
  name = 'Card',
  edition = '',
  draft = false,
): readonly BatchRowRequest[] => {
  const columns = parseBatchColumns(heading, TEMPLATE, name);
  if (E.isLeft(columns)) throw new Error(columns.left.join('; '));
  const batch = { project_id: 'proj_1', template: TEMPLATE, name, edition, draft };
  return batchRowRequests(
    batch,
    columns.right,
    cells.map((row, i) => ({ row: i + 1, line: i + 2, cells: row })),
  );
};

const headingFaults = (heading: readonly string[], name = 'Card'): readonly string[] => {
  const columns = parseBatchColumns(heading, TEMPLATE, name);
  return E.isLeft(columns) ? columns.left : [];
};

const keys = (rows: readonly BatchRowRequest[]) =>
  rows.map((row) => (row.tag === 'order' ? row.idempotency_key : null));
const faults = (rows: readonly BatchRowRequest[]) => rows.flatMap((row) => (row.tag === 'at_fault' ? row.faults : []));

test("a draft of a row has another key than the row's full render", (t) => {
  const [whole] = orders(['headline'], [['Hi']]);
  const [draft] = orders(['headline'], [['Hi']], 'Card', '', true);
  if (whole?.tag !== 'order' || draft?.tag !== 'order') return t.fail('at fault');
  t.deepEqual(draft.order, { ...whole.order, draft: true });
  t.not(draft.idempotency_key, whole.idempotency_key);
});

test('a row becomes a request with the values of its cells', (t) => {
  const [order] = orders(['headline', 'accent', 'shown', 'size'], [['Hi\r\nyou ', '#FF0000', 'TRUE', ' 12 ']]);
  if (order?.tag !== 'order') throw new Error('it is at fault');
  t.deepEqual(order.order, {
    name: 'Card',
    project_id: 'proj_1',
    template_id: 'tpl_card',
    values: { headline: 'Hi\nyou ', accent: '#FF0000', shown: 'true', size: '12' },
  });
  t.regex(order.idempotency_key, /^batch-[0-9a-f]{64}$/);
});

test('missing cells use the default', (t) => {
  const [order] = orders(['headline', 'accent'], [[null, null]]);
  t.deepEqual(order?.tag === 'order' ? order.order.values : null, {});
});

test('a refused heading lists all its errors, and suggests similar names', (t) => {
  t.deepEqual(headingFaults(['headlin', 'accent', 'accent', '', 'Logo', 'price']), [
    'column 4 has no name',
    'column "accent" occurs twice',
    'column "headlin" is not a field of the template; did you mean "headline"?',
    'column "Logo" is not a field of the template; did you mean "logo"?',
    'column "price" is not a field of the template',
  ]);
  t.deepEqual(headingFaults(['headline', 'number'], 'Card {number} {row} {headline} {logo}'), []);
  t.deepEqual(headingFaults(['headline'], 'Card {headlien}'), [
    '--name: the file has no column "headlien"; did you mean "headline"?',
  ]);
});

test("a render's name comes from its row, the default, and the row number", (t) => {
  const rows = orders(
    ['headline', 'number'],
    [
      ['Hi\nyou', '7'],
      [null, '8'],
    ],
    'Card {number}/{row}: {headline} {x y}',
  );
  t.deepEqual(
    rows.map((row) => (row.tag === 'order' ? row.order.name : null)),
    ['Card 7/1: Hi you {x y}', 'Card 8/2: Hello {x y}'],
  );
});

test('errors of values name their field, and the other rows are accepted', (t) => {
  const heading = ['accent', 'size', 'shown', 'headline'];
  const rows = orders(heading, [
    ['red', 'big', 'yes', 'a\u0000'],
    ['#000000', '1', 'false', 'a'],
    ['#000000', '1', 'false'],
    ['#000000', '1', 'false', 'a', 'b'],
  ]);
  t.deepEqual(faults(rows.slice(0, 1)), [
    'headline: must not contain the control character U+0000',
    'accent: must be a colour like #E30613',
    'size: must be a number',
    'shown: must be true or false',
  ]);
  t.is(rows[1]?.tag, 'order');
  t.deepEqual(faults(rows.slice(2)), [
    'has 3 values for 4 columns; check the quotes',
    'has 5 values for 4 columns; check the quotes',
  ]);
  t.deepEqual(faults(orders(['headline'], [['x'.repeat(251)]], '{headline}')), [
    'name: must have at most 250 characters, and has 251',
  ]);
  t.deepEqual(faults(orders(['headline'], [['']], '{headline}')), ['name: is empty']);
});

test('the key of a row depends only on its content', (t) => {
  const [a, b] = keys(orders(['headline'], [['A'], ['B']]));
  t.deepEqual(keys(orders(['headline'], [['new'], ['B'], ['A']], 'Card {row}')).slice(1), [b, a]);
  t.not(a, b);
  t.not(keys(orders(['headline'], [['A']], 'Card', 'second'))[0], a);
  t.is(a, 'batch-060c7e439eb5e5d5a850a8416499974ad80fb50b138960a90a48e3de02e30049');
});

test('equal rows are separate renders', (t) => {
  const same = keys(orders(['headline'], [['A'], ['A'], ['A']]));
  t.is(new Set(same).size, 3);
  t.deepEqual(
    keys(orders(['headline'], [['A'], ['B'], ['A'], ['A']])).filter((_, i) => i !== 1),
    same,
  );
});

test('a key column identifies its row and must be unique', (t) => {
  const rows = orders(
    ['key', 'headline'],
    [
      ['ana', 'A'],
      ['bo', 'B'],
      ['ana', 'C'],
      [' ', 'D'],
    ],
  );
  t.deepEqual(faults(rows), ['key: duplicates the key of line 2', 'key: is empty']);
  t.is(keys(rows)[0], keys(orders(['headline', 'key'], [['changed', 'ana']]))[0]);
  const [order] = rows;
  t.deepEqual(order?.tag === 'order' ? order.order.values : null, { headline: 'A' });
});
