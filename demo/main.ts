import { join } from 'node:path';
import { catchStopSignals } from '../stack/process/stop-signals.ts';
import { ROOT } from '../stack/servers/tools.ts';
import { runDemo } from './demo.ts';

// make demo: one render, end to end, in less than a minute. It stops every process that it started.
const signals = catchStopSignals();

/**
 * The process exits this long after an urgent stop. Otherwise clients of the dead servers would retry for half a
 * minute.
 */
const URGENT_EXIT_MS = 500;
signals.urgent.addEventListener('abort', () => setTimeout(() => process.exit(signals.exitCode()), URGENT_EXIT_MS));

const local = (variable: string, ...otherwise: readonly string[]): string =>
  process.env[variable] ?? join(ROOT, ...otherwise);

const dataDir = local('DEMO_DATA_DIR', '.local', 'data');

try {
  await runDemo({
    dataDir,
    pidsPath: process.env.DEMO_DATA_DIR === undefined ? join(ROOT, '.local', 'pids') : join(dataDir, 'pids'),
    stackFile: local('RENDERCTL_STACK_FILE', '.local', 'stack.json'),
    outDir: local('DEMO_OUT_DIR', 'out'),
    out: process.stdout,
    stop: signals.stop,
    urgent: signals.urgent,
  });
  process.exitCode = 0;
} catch (error) {
  if (!signals.stop.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
if (signals.stop.aborted) process.exitCode = signals.exitCode();
