import test from 'ava';
import { createLogger } from '../../../platform/logging/logger.ts';
import { throttledWarn } from '../../../platform/logging/throttled-warn.ts';

const told = () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  let now_ms = 0;
  const warn = throttledWarn(logger, 1_000, () => now_ms);
  const at = (ms: number): typeof warn => {
    now_ms = ms;
    return warn;
  };
  return { at, lines: () => lines.map(({ msg, reason, repeated }) => [msg, reason, repeated]) };
};

test('equal warnings are logged once per interval, with the number omitted', (t) => {
  const { at, lines } = told();
  for (const ms of [0, 10, 999, 1_000, 1_500, 2_500]) at(ms)({ reason: 'away' }, 'waiting');
  t.deepEqual(lines(), [
    ['waiting', 'away', undefined],
    ['waiting', 'away', 2],
    ['waiting', 'away', 1],
  ]);
});

test('another reason, or another message, is logged at once', (t) => {
  const { at, lines } = told();
  at(0)({ reason: 'away' }, 'waiting');
  at(1)({ reason: 'no topic' }, 'waiting');
  at(2)({ reason: 'away' }, 'trying again');
  t.is(lines().length, 3);
});

test('many different warnings are not all remembered', (t) => {
  const { at, lines } = told();
  at(0)({ reason: 'first' }, 'waiting');
  for (let i = 0; i < 200; i += 1) at(1)({ reason: `reason ${i}` }, 'waiting');
  at(2)({ reason: 'first' }, 'waiting');
  t.is(lines().length, 202);
});
