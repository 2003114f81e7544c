import test from 'ava';
import { readLines } from '../recorded/recording.ts';
import { type Replayed, replay } from '../recorded/replay.ts';

let replayed: Replayed;

test.before(async (t) => {
  t.timeout(120_000);
  replayed = await replay();
});

/** Members of later versions, which are null where nothing of theirs was there. */
const LATER: ReadonlySet<string> = new Set(['erased_at', 'name_sha256']);

/** What later versions tell of an account that has set nothing of it. */
const RETENTION = JSON.stringify([
  { what: 'outputs', days: null, gone_until: 0 },
  { what: 'media', days: null },
  { what: 'deliveries', days: null },
]);

const isLater = (key: string, value: unknown): boolean =>
  (LATER.has(key) && value === null) || (key === 'retention' && JSON.stringify(value) === RETENTION);

/** What an earlier version knew of. */
const asBefore = (line: unknown): unknown =>
  JSON.parse(JSON.stringify(line, (key, value) => (isLater(key, value) ? undefined : value)));

const same = (part: keyof Replayed) =>
  test(`${part} of a recorded log are what they were`, async (t) => {
    const recorded = await readLines(part);
    t.true(recorded.length > 20);
    t.is(replayed[part].length, recorded.length);
    for (const [index, line] of recorded.entries())
      t.deepEqual(asBefore(replayed[part][index]), line, `line ${index + 1}`);
  });

same('documents');
same('answers');
same('appended');
