import { INTERRUPTED, runRenderctl } from './run.ts';

const stopping = new AbortController();

// The first Ctrl-C ends what is under way in an orderly manner, within a second; the second at once.
process.on('SIGINT', () => {
  if (stopping.signal.aborted) process.exit(INTERRUPTED);
  stopping.abort();
  process.stderr.write('\n');
  setTimeout(() => process.exit(INTERRUPTED), 1_000).unref();
});
// A reader that has seen enough (`renderctl … | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdout, stderr } = process;
process.exit(await runRenderctl(process.argv.slice(2), { env, stdout, stderr, stop: stopping.signal }));
