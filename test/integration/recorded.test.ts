import test from 'ava';
import { ADDED_MEMBER_DEFAULTS } from '../../projectors/verification/difference.ts';
import { isErrorCode } from '../../schemas/http/error-codes.ts';
import { readLines } from '../recorded/recording.ts';
import { type Replayed, replay } from '../recorded/replay.ts';

let replayed: Replayed;

test.before(async (t) => {
  t.timeout(240_000);
  replayed = await replay();
});

const RETENTION = JSON.stringify([
  { what: 'outputs', days: null, gone_until: 0 },
  { what: 'media', days: null },
  { what: 'deliveries', days: null },
]);

const DOWNLOADS = JSON.stringify({ named_by: 'name' });

const isLater = (key: string, value: unknown): boolean =>
  ADDED_MEMBER_DEFAULTS.get(key)?.includes(value) === true ||
  (key === 'engine' && value === 5) ||
  (key === 'scopes' && JSON.stringify(value) === '[]') ||
  (key === 'added_by' && typeof value === 'string') ||
  (key === 'asset_keys' && Array.isArray(value)) ||
  (key === 'quality' && value === 'standard') ||
  (key === 'retention' && JSON.stringify(value) === RETENTION) ||
  (key === 'downloads' && JSON.stringify(value) === DOWNLOADS);

/** Messages can change their wording: a pattern of the current one, and the recorded one. */
const REWORDED: readonly (readonly [RegExp, string])[] = [
  [/is already a member of (team \S+) with another role;/, 'is a member of $1 already, in another role;'],
];

const inFormerWords = (text: string): string =>
  REWORDED.reduce((before, [present, recorded]) => before.replace(present, recorded), text);

const asBefore = (line: unknown): unknown =>
  JSON.parse(
    JSON.stringify(line, (key, value) => {
      if (isLater(key, value)) return undefined;
      if (Array.isArray(value)) return value.filter((one) => Object(one).resource !== 'inline_projects');
      if (isObject(value)) return withoutAdded(value);
      return typeof value === 'string' ? inFormerWords(value) : value;
    }),
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Since 0.10, a render of `/v1` has its `failure`, an error its `code`, `param` and `Cache-Control`, and a user of
 * renderctl a `name`.
 */
const withoutAdded = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (value['cache-control'] === 'no-store') {
    const { 'cache-control': _, ...headers } = value;
    return headers;
  }
  if (typeof value.error === 'string' && isErrorCode(value.code)) return { error: value.error };
  const { name, ...nameless } = value;
  if (String(value.id).startsWith('user_') && name === null) return nameless;
  const { failure, ...render } = value;
  return String(value.id).startsWith('rend_') && isObject(value.project) && failure !== undefined ? render : value;
};

/** The members of the recorded value; a value that is not an object stays whole. */
const ofBefore = (now: unknown, before: unknown): unknown => {
  if (Array.isArray(now) && Array.isArray(before)) return now.map((one, i) => ofBefore(one, before[i]));
  if (!isObject(now) || !isObject(before)) return now;
  const kept = Object.entries(now).filter(([key]) => key in before);
  return Object.fromEntries(kept.map(([key, value]) => [key, ofBefore(value, before[key])]));
};

const isTrace = (line: unknown): boolean => isObject(line) && String(line.command).startsWith('trace ');

const same = (part: keyof Replayed) =>
  test(`${part} of a recorded log are unchanged`, async (t) => {
    const recorded = await readLines(part);
    t.true(recorded.length > 20);
    t.is(replayed[part].length, recorded.length);
    for (const [index, line] of recorded.entries()) {
      const now = asBefore(replayed[part][index]);
      t.deepEqual(isTrace(line) ? ofBefore(now, line) : now, line, `line ${index + 1}`);
    }
  });

same('documents');
same('answers');
same('appended');
