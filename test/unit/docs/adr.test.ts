import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';

const MAX_WORDS = 350;

type DecisionRecord = { readonly file: string; readonly text: string };

const folder = new URL('../../../docs/adr/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

/** `0084-a-rebuild-replaces-the-serving-generation.md` of `# 84. A rebuild replaces the serving generation`. */
const fileNameOf = (number: string, title: string): string => {
  const words =
    title
      .toLowerCase()
      .replaceAll(/[`']/g, '')
      .match(/[a-z0-9]+/g) ?? [];
  return `${[number.padStart(4, '0'), ...words].join('-')}.md`;
};

/** Violations of the rules in docs/adr/README.md by a record; `index` is that page. */
const faultsOf = ({ file, text }: DecisionRecord, index: string): readonly string[] => {
  const [, number, title] = /^# (\d+)\. (.+)\n/.exec(text) ?? [];
  if (number === undefined || title === undefined) return ['has no heading with its number and title'];
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  const [, listed] =
    index
      .split('\n')
      .map((line) => line.split(' | '))
      .find(([link]) => link?.includes(`](${file})`)) ?? [];
  const parts = Array.from(text.matchAll(/^\*\*(Context|Decision|Consequences)\.\*\*/gm), ([, part]) => part);
  return [
    words > MAX_WORDS ? `has ${words} words: at most ${MAX_WORDS}` : null,
    listed === undefined ? 'has no row in docs/adr/README.md' : null,
    listed !== undefined && listed.trim() !== title ? 'has another title in docs/adr/README.md' : null,
    file === fileNameOf(number, title) ? null : `is not named after its title: ${fileNameOf(number, title)}`,
    parts.join() === 'Context,Decision,Consequences' ? null : 'lacks Context, Decision or Consequences, in this order',
  ].filter((fault) => fault !== null);
};

test('decision records are short, have the three parts and match their index', (t) => {
  const index = read('README.md');
  const files = readdirSync(folder).filter((file) => file !== 'README.md');
  t.true(files.length > 100);
  const faults = files.flatMap((file) =>
    faultsOf({ file, text: read(file) }, index).map((fault) => `${file} ${fault}`),
  );
  t.deepEqual(faults, []);
});

test('each violation of a decision record is named', (t) => {
  const file = '0007-keys-have-owners.md';
  const text = '# 7. Keys have owners\n\n**Context.** A.\n\n**Decision.** B.\n\n**Consequences.** C.\n';
  const index = `| [7](${file}) | Keys have owners | |`;
  t.deepEqual(faultsOf({ file, text }, index), []);
  t.is(faultsOf({ file, text: `${text}${'word '.repeat(MAX_WORDS)}` }, index).length, 1);
  t.is(faultsOf({ file, text: text.replace('**Decision.** ', '') }, index).length, 1);
  t.is(faultsOf({ file, text: text.slice(2) }, index).length, 1);
  t.is(faultsOf({ file: '0007-keys.md', text }, index.replace(file, '0007-keys.md')).length, 1);
  t.is(faultsOf({ file, text }, '').length, 1);
  t.is(faultsOf({ file, text }, index.replace('Keys have owners', 'Keys have no owners')).length, 1);
});
