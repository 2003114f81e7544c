import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type CsvSheet, MAX_BATCH_ROWS, readRows } from '../../../cli/batch/csv-rows.ts';
import { reportOf } from '../../../cli/fault.ts';

const fileOf = async (t: ExecutionContext, content: string | Buffer): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'rows '));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'rows.csv');
  await writeFile(path, content);
  return path;
};

const read = async (t: ExecutionContext, content: string | Buffer): Promise<CsvSheet> => {
  const sheet = await readRows(await fileOf(t, content));
  if (E.isLeft(sheet)) throw new Error(reportOf(sheet.left).message);
  return sheet.right;
};

const refusal = async (t: ExecutionContext, content: string | Buffer): Promise<string> => {
  const sheet = await readRows(await fileOf(t, content));
  if (E.isRight(sheet)) throw new Error('it was read');
  return reportOf(sheet.left).message;
};

test("a spreadsheet's file is read: byte order mark, CRLF, quotes, lines in cells", async (t) => {
  const { columns, rows } = await read(t, '\uFEFFname,text\r\nAna,"Hello, ""you"""\r\n\r\nBo,"one\ntwo"\r\nCy,\r\n');
  t.deepEqual(columns, ['name', 'text']);
  t.deepEqual(rows, [
    { row: 1, line: 2, cells: ['Ana', 'Hello, "you"'] },
    { row: 2, line: 4, cells: ['Bo', 'one\ntwo'] },
    { row: 3, line: 6, cells: ['Cy', null] },
  ]);
});

for (const [name, delimiter] of Object.entries({ commas: ',', semicolons: ';', tabs: '\t' }))
  test(`rows separated by ${name} are read`, async (t) => {
    const { columns, rows } = await read(t, `a${delimiter}b\n1${delimiter}2\n`);
    t.deepEqual(
      [columns, rows[0]?.cells],
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    );
  });

test('an empty cell is missing, "" is an empty text, and 5" are five inches', async (t) => {
  const { rows } = await read(t, 'a,b,c\n,"",5" wide\n');
  t.deepEqual(rows[0]?.cells, [null, '', '5" wide']);
});

test('empty rows and columns at the end are ignored', async (t) => {
  const { columns, rows } = await read(t, 'a,b,,\n1,2,,\n,,,\n');
  t.deepEqual(columns, ['a', 'b']);
  t.is(rows.length, 1);
});

test('a file without rows is refused with advice', async (t) => {
  t.regex(await refusal(t, ''), /it has no rows: the first line has the field keys/);
  t.regex(await refusal(t, 'a,b\n'), /it has no rows/);
  t.regex(await refusal(t, Buffer.from('a\nM\xfcller\n', 'latin1')), /it is not UTF-8; save it as "CSV UTF-8"/);
  t.regex(await refusal(t, Buffer.from('\uFEFFa\n1\n', 'utf16le')), /it is not UTF-8/);
  t.regex(await refusal(t, Buffer.from('PK\u0003\u0004rest')), /it is a spreadsheet or an archive/);
  t.regex(
    await refusal(t, 'a,b\n1,2\n3,"open\n5,6\n'),
    /a quoted value that begins at line 3 or later has no closing quote/,
  );
  t.regex(await refusal(t, `a\n${'x'.repeat(2 ** 20 + 10)}\n`), /the row at line 2 is larger than 1 MiB/);
  const missing = await readRows('/nonexistent/rows.csv');
  t.true(E.isLeft(missing) && reportOf(missing.left).message.endsWith('the file does not exist'));
});

test('the maximum of rows is accepted, and one more is refused', async (t) => {
  t.is((await read(t, `a\n${'1\n'.repeat(MAX_BATCH_ROWS)}`)).rows.length, MAX_BATCH_ROWS);
  t.regex(await refusal(t, `a\n${'1\n'.repeat(MAX_BATCH_ROWS + 1)}`), /it has more than 50000 rows; split it/);
});
