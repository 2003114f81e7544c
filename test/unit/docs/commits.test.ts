import test from 'ava';
import { execa } from 'execa';

/** The last commit that the rules of docs/style.md do not judge. */
const LAST_BEFORE = 'b253365ad5f0488b7b93099c22911780c7f89cb7';
const MAX_SUBJECT = 72;

/** Verbs with the ending of a participle. */
const VERBS: readonly string[] = ['Bring', 'Embed', 'Feed', 'Need', 'Ping', 'Seed', 'Shed', 'Speed', 'String'];
const NO_VERB = /^(?:Of|What|Those|Whoever|That|The|An?|It|No|When|If|Each|All|Every|\w+(?:ed|ing))$/;

const faultOf = (subject: string): string | null => {
  const [first = ''] = subject.split(' ');
  if (subject.length > MAX_SUBJECT) return `has ${subject.length} characters: at most ${MAX_SUBJECT}`;
  if (!/^[A-Z][a-z]/.test(first)) return 'does not begin with a capital letter';
  if (NO_VERB.test(first) && !VERBS.includes(first)) return 'does not begin with a verb in the imperative';
  return subject.endsWith('.') ? 'ends with a full stop' : null;
};

/** Subjects of the commits since `LAST_BEFORE`; null without history, as in an archive or a shallow clone. */
const subjects = async (): Promise<readonly string[] | null> => {
  const { exitCode, stdout } = await execa({
    cwd: import.meta.dirname,
    reject: false,
  })`git log --no-merges --format=%s ${LAST_BEFORE}..HEAD`;
  return exitCode === 0 ? stdout.split('\n').filter((line) => line !== '') : null;
};

test('the subject of each commit is short and in the imperative', async (t) => {
  const found = await subjects();
  if (found === null) return t.pass('no history here');
  t.deepEqual(
    found.map((subject) => [subject, faultOf(subject)]).filter(([, fault]) => fault !== null),
    [],
  );
});

test('subjects that break the rules are named', (t) => {
  t.is(faultOf('Reject numbers longer than 64 characters'), null);
  t.is(faultOf('Feed the fold in order'), null);
  for (const subject of [
    'Rejected numbers',
    'Of numbers: none',
    'reject numbers',
    'Reject numbers.',
    `Reject ${'x'.repeat(72)}`,
  ])
    t.not(faultOf(subject), null, subject);
});
