import { readFileSync } from 'node:fs';
import test from 'ava';
import { eventsDocumentation } from '../../../platform/records/events-documentation.ts';
import { RECORDS } from '../../../schemas/records.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const page = read('docs/events.md');

test('the page of the log is current: node platform/records/write-documentation.ts', (t) => {
  t.is(page, eventsDocumentation(read('examples/analysis/read_log.py')));
});

test('every record has its own section, and every internal link has a target', (t) => {
  const headings = Array.from(page.matchAll(/^### (\w+)$/gm), ([, name = '']) => name.toLowerCase());
  for (const { type } of RECORDS) t.true(headings.includes(type.toLowerCase()), type);
  t.is(new Set(headings).size, headings.length);
  for (const [, target = ''] of page.matchAll(/\]\(#(\w+)\)/g)) t.true(headings.includes(target), target);
});
