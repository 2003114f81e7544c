import test from 'ava';
import { traceParent } from '../../../platform/http-server/trace-parent.ts';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test("the client's trace continues", (t) => {
  t.is(traceParent(VALID), VALID);
});

test('an invalid trace is replaced by a new one', (t) => {
  const wrong = [
    undefined,
    '',
    'x',
    `${VALID}-extra`,
    VALID.toUpperCase(),
    VALID.replace('00-', 'ff-'),
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    [VALID, VALID],
  ];
  for (const header of wrong) {
    const made = traceParent(header);
    t.regex(made, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    t.not(made, header);
  }
  t.not(traceParent(undefined), traceParent(undefined));
});
