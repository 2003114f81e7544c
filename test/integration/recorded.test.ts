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

/** What an earlier version knew of. */
const asBefore = (line: unknown): unknown =>
  JSON.parse(JSON.stringify(line, (key, value) => (LATER.has(key) && value === null ? undefined : value)));

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
