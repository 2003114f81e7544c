import { openProgressBar } from '../../bar.ts';
import type { Screen } from '../../screen.ts';

export type ExportProgress = { readonly show: (done: number, all: number) => void; readonly stop: () => void };

export const exportProgress = (stream: Screen): ExportProgress => {
  if (stream.isTTY !== true) return { show: () => undefined, stop: () => undefined };
  const { bar } = openProgressBar(stream, ' {bar} {value}/{total} records, {eta_formatted} left', 40);
  let shown = false;
  return {
    show: (done, all) => {
      if (!shown) bar.start(all, 0);
      shown = true;
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
};
