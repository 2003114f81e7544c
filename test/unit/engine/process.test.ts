import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type ProcessLimits, runProcess } from '../../../engine/process/run-process.ts';
import { withStageLimit } from '../../../engine/process/stage-limit.ts';
import { BOUNDS, limitsOf, UNCONFINED } from '../../helpers/sandbox.ts';

const limits = () => limitsOf(60_000, UNCONFINED);
/**
 * Duration of programs whose end a test does not wait for. It is long, because a busy machine starts and ends programs
 * slowly, but shorter than the limits.
 */
const SLEEP_S = 50;
const isEarly = (began: number): boolean => performance.now() - began < SLEEP_S * 1_000;
const confined = { reads: [], bounds: BOUNDS };

test('a missing program is an infrastructure fault, never a fault of the media', async (t) => {
  const run = await runProcess({ program: 'no-such-program', args: [], ...confined }, limits());
  t.like(run, { _tag: 'Left', left: { tag: 'infrastructure' } });
});

test('a failing program is reported by its exit code', async (t) => {
  const run = await runProcess(
    { program: 'sh', args: ['-c', 'echo out; echo err >&2; exit 3'], ...confined },
    limits(),
  );
  t.deepEqual(run, E.right({ exit_code: 3, stdout: 'out\n', stderr: 'err\n' }));
});

test('many concurrent programs share one exit listener of this process', async (t) => {
  const before = process.listenerCount('exit');
  const runs = Array.from({ length: 12 }, () =>
    runProcess({ program: 'cat', args: [], input: 'x', ...confined }, limits()),
  );
  t.true(process.listenerCount('exit') <= before + 1);
  for (const run of await Promise.all(runs)) t.deepEqual(run, E.right({ exit_code: 0, stdout: 'x', stderr: '' }));
});

test('a program with endless lines or output is stopped, in bounded memory', async (t) => {
  t.timeout(60_000);
  const before = process.memoryUsage().rss;
  let lines = 0;
  for (const args of [['/dev/zero'], ['-c', 'yes ""'], ['-c', 'cat /dev/zero >&2']]) {
    const program = args.length === 1 ? 'cat' : 'sh';
    const on_line = (): void => {
      lines += 1;
    };
    const run = await runProcess({ program, args, ...confined, on_line }, limits());
    t.like(run, { left: { tag: 'decoder_died' } }, args.join(' '));
  }
  t.true(lines > 0);
  t.true(process.memoryUsage().rss - before < 300 * 2 ** 20);
});

test('a line that is split into chunks is joined', async (t) => {
  const lines: string[] = [];
  const args = ['-c', "printf 'one\\n\\ntw'; sleep 0.1; printf 'o\\nthree'"];
  const run = await runProcess({ program: 'sh', args, ...confined, on_line: (line) => lines.push(line) }, limits());
  t.deepEqual(lines, ['one', '', 'two']);
  t.like(run, { right: { stdout: 'three' } });
});

test('an exception in a line handler ends the program, not this process', async (t) => {
  const began = performance.now();
  const on_line = (): never => {
    throw new TypeError('misread');
  };
  const run = await runProcess(
    { program: 'sh', args: ['-c', `echo one; sleep ${SLEEP_S}`], ...confined, on_line },
    limits(),
  );
  t.deepEqual(run, E.left({ tag: 'infrastructure', message: 'misread' }));
  t.true(isEarly(began));
});

test('a stage of the engine exceeds its own budget, and its programs end', async (t) => {
  const began = performance.now();
  const sleeping = (its: ProcessLimits) => runProcess({ program: 'sleep', args: [String(SLEEP_S)], ...confined }, its);
  const stage = { stage: 'probing', limit_ms: 100 };
  const done = await withStageLimit(stage, limits(), sleeping);
  t.deepEqual(done, E.left({ tag: 'over_budget', message: 'exceeded the limit of 0.1 s for probing' }));
  t.true(isEarly(began));

  const stop = new AbortController();
  const stopped = withStageLimit({ ...stage, limit_ms: 60_000 }, { ...limits(), signal: stop.signal }, sleeping);
  stop.abort();
  t.deepEqual(await stopped, E.left({ tag: 'cancelled' }));
});
