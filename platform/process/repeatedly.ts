import type { Clock } from './clock.ts';

/** Skips an interval while the function is still running. Never keeps a process alive. */
export const runRepeatedly = (
  clock: Clock,
  every_ms: number,
  run: () => Promise<void>,
  onFailure: (error: unknown) => void,
): { /** Resolves when the last run has ended. */ readonly stop: () => Promise<void> } => {
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const end = clock.every(every_ms, () => {
    if (busy) return;
    busy = true;
    running = run()
      .catch(onFailure)
      .finally(() => {
        busy = false;
      });
  });
  return {
    stop: async () => {
      end();
      await running;
    },
  };
};
