import { PassThrough } from 'node:stream';
import test from 'ava';
import { inspectionProgress } from '../../../cli/catalogue/look-progress.ts';

const shown = (isTTY: boolean, total: number): string => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const { inspected, stop } = inspectionProgress(stream, total);
  for (let count = 0; count < total; count += 1) inspected();
  stop();
  return String(stream.read() ?? '');
};

test('on a terminal the progress overwrites one line and finally clears it', (t) => {
  const text = shown(true, 30);
  t.true(text.includes('17 of 30 files checked …'));
  t.false(text.includes('\n'));
  t.true(text.endsWith('\r\u001b[K'));
});

test('without a terminal or with few files no progress is shown', (t) => {
  t.is(shown(false, 30), '');
  t.is(shown(true, 3), '');
});
