import { readFileSync } from 'node:fs';
import test from 'ava';
import { SERVICE_VERSION } from '../../../platform/process/version.ts';

const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
const headings = changelog.split('\n').filter((line) => line.startsWith('## '));
const releases = headings.slice(1).map((line) => /^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\): \S/.exec(line));

test('the newest release of the changelog is the version of the service', (t) => {
  t.is(headings[0], '## Unreleased');
  t.is(releases[0]?.[1], SERVICE_VERSION);
});

test('releases have a version, a date and a subject, newest first', (t) => {
  t.false(releases.includes(null));
  const keys = releases.map(
    (release) =>
      release?.[1]
        ?.split('.')
        .map((part) => part.padStart(4, '0'))
        .join('.') ?? '',
  );
  t.deepEqual(keys, keys.toSorted().toReversed());
  const dates = releases.map((release) => release?.[2] ?? '');
  t.deepEqual(dates, dates.toSorted().toReversed());
});
