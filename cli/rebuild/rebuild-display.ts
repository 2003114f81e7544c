import type { Clock } from '../../platform/process/clock.ts';
import { openProgressBar } from '../bar.ts';
import type { Screen } from '../screen.ts';
import { addProgressSample, foldRate, foldRateText, type ProgressSample } from './pace.ts';

export type RebuildDisplay = {
  readonly show: (folded: number, of: number) => void;
  readonly stop: () => void;
};

const BESIDE = 64;

const bar = (stream: Screen) => {
  const { bar: single } = openProgressBar(stream, ' {bar} {text}', BESIDE);
  single.start(1, 0, { text: '' });
  return {
    show: (fraction: number, text: string) => single.update(fraction, { text }),
    stop: () => single.stop(),
  };
};

const EVERY_MS = 5_000;

/** Without a terminal, it writes a line from time to time. */
const lines = (stream: Screen, clock: Pick<Clock, 'monotonic'>) => {
  let shown_at = Number.NEGATIVE_INFINITY;
  return {
    show: (_fraction: number, text: string) => {
      if (clock.monotonic() - shown_at < EVERY_MS) return;
      shown_at = clock.monotonic();
      stream.write(`${text}\n`);
    },
    stop: () => undefined,
  };
};

export const rebuildDisplay = (stream: Screen, clock: Pick<Clock, 'monotonic'>): RebuildDisplay => {
  const shown = stream.isTTY === true ? bar(stream) : lines(stream, clock);
  let samples: readonly ProgressSample[] = [];
  return {
    show: (folded, of) => {
      samples = addProgressSample(samples, { at: clock.monotonic(), folded });
      shown.show(folded / Math.max(1, of), foldRateText(folded, of, foldRate(samples)));
    },
    stop: shown.stop,
  };
};
