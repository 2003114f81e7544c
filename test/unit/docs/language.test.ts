import test from 'ava';
import { newFaults, shrinkBaseline } from '../../../docs/language/baseline.ts';
import { faultsOfFile, isLinted } from '../../../docs/language/lint.ts';

const rulesOf = async (file: string, text: string): Promise<readonly string[]> =>
  (await faultsOfFile(file, text)).map(({ rule, line }) => `${line} ${rule}`);

const LONG = Array.from({ length: 26 }, (_, index) => `word${index}`).join(' ');

test('comments, messages and titles that break a rule are named by line', async (t) => {
  const source = [
    '// What still waits is read again.',
    "const message = 'nobody reads this message today';",
    `test('${Array.from({ length: 15 }, () => 'word').join(' ')}', () => {});`,
    `/** ${LONG}. */`,
  ].join('\n');
  t.deepEqual(await rulesOf('a.test.ts', source), ['1 openings', '2 words', '3 titles', '4 length']);
});

test('titles are judged in every file that declares tests, whatever its name', async (t) => {
  const source = [
    "test('of two owners, one stays', () => {});",
    "test.serial('of two owners, one leaves', () => {});",
    "/^of/.test('of a key');",
    "plan.serial('of a key');",
  ].join('\n');
  t.deepEqual(await rulesOf('suite.ts', source), ['1 titles', '2 titles']);
});

test('plain comments, code, keys and questions pass', async (t) => {
  const source = [
    '// A lease ends after 30 s, so that another process can take over.',
    '/**',
    ' * Rows of the page, newest first. `nobody` is the user of the sandbox.',
    ' */',
    "const key = 'nobody';",
    '// What if the clock is set back? The lease ends early.',
    '// biome-ignore lint/suspicious/noExplicitAny: of no use here',
  ].join('\n');
  t.deepEqual(await rulesOf('a.ts', source), []);
});

test('consecutive line comments are one text', async (t) => {
  t.deepEqual(await rulesOf('a.ts', '// The first half\n// Of a sentence.\nconst x = 1;\n'), []);
  t.deepEqual(await rulesOf('a.ts', 'const x = 1;\n// The first half.\n// Of the second one.\n'), ['2 openings']);
});

test('limits have names with MAX and MIN', async (t) => {
  t.deepEqual(await rulesOf('a.ts', 'const MOST_ROWS = 5;\nconst MAX_ROWS = MOST_ROWS;\n'), ['1 names', '2 names']);
  t.deepEqual(await rulesOf('a.ts', 'const ALMOST = 5;\nconst atMost = ALMOST;\n'), []);
});

test('Markdown is judged by paragraph and heading', async (t) => {
  const text = `# It goes on\n\nThe relay stores \`what stands\`.\n\nOf these, one is kept.\n\n- ${LONG}.\n`;
  t.deepEqual(await rulesOf('a.md', text), ['1 words', '5 openings', '7 length']);
});

test('violations within the baseline pass, and one more shows them all', (t) => {
  const fault = (line: number) => ({ file: 'a.ts', line, rule: 'words', message: '' });
  t.deepEqual(newFaults({ 'a.ts': { words: 2 } }, [fault(1), fault(2)]), []);
  t.is(newFaults({ 'a.ts': { words: 2 } }, [fault(1), fault(2), fault(3)]).length, 3);
  t.is(newFaults({}, [fault(1)]).length, 1);
});

test('the baseline shrinks and never grows', (t) => {
  const fault = { file: 'a.ts', line: 1, rule: 'words', message: '' };
  const baseline = { 'a.ts': { words: 2, length: 1 }, 'b.ts': { words: 1 } };
  t.deepEqual(shrinkBaseline(baseline, [fault]), { 'a.ts': { words: 1 } });
  t.deepEqual(shrinkBaseline({}, [fault]), {});
});

test('generated files and the rules themselves are not judged', (t) => {
  t.true(isLinted('docs/operations.md'));
  t.false(isLinted('docs/events.md'));
  t.false(isLinted('docs/style.md'));
  t.false(isLinted('package.json'));
});
