import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';

const MODULE = join(import.meta.dirname, '..', '..', '..', 'stack', 'process', 'stop-signals.ts');

const heard = async (...signals: readonly NodeJS.Signals[]): Promise<string> => {
  const script = `
    import { catchStopSignals } from ${JSON.stringify(MODULE)};
    const { stop, urgent, exitCode } = catchStopSignals();
    for (const signal of ${JSON.stringify(signals)}) process.emit(signal, signal);
    console.log([stop.aborted, urgent.aborted, exitCode()].join(' '));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script]);
  return stdout;
};

test('the first Ctrl-C stops in order, the second one stops at once', async (t) => {
  t.is(await heard('SIGINT'), 'true false 130');
  t.is(await heard('SIGINT', 'SIGINT'), 'true true 130');
});

test('the repeated signal of a closing terminal does not count as a second stop', async (t) => {
  t.is(await heard('SIGHUP', 'SIGHUP'), 'true false 129');
  t.is(await heard('SIGTERM', 'SIGTERM'), 'true false 143');
});
