import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { openProgressBar } from '../bar.ts';
import type { Screen } from '../screen.ts';
import { timeText } from '../table.ts';
import { fitStatusHistory, MAX_STATUS_HISTORY_LENGTH, type RenderLifecycle, statusHistoryText } from './life.ts';
import { percentText } from './render-text.ts';

/** Shows a render's life in progress; `stop` does not clear the screen. */
export type LifecycleDisplay = { readonly show: (life: RenderLifecycle) => void; readonly stop: () => void };

const AROUND = 10;

const bar = (stream: Screen): LifecycleDisplay => {
  const columns = stream.columns ?? 80;
  const { bar: single, size } = openProgressBar(
    stream,
    ' {bar} {percent} %  {trail}',
    MAX_STATUS_HISTORY_LENGTH + AROUND,
  );
  single.start(1, 0, { percent: '  0', trail: '' });
  return {
    show: (life) => {
      const percent = String(Math.round(life.fraction * 100)).padStart(3);
      single.update(life.fraction, {
        percent,
        trail: fitStatusHistory(statusHistoryText(life), columns - size - AROUND),
      });
    },
    stop: () => single.stop(),
  };
};

const TENTHS = 10;

const lines = (stream: Screen, now: () => number): LifecycleDisplay => {
  let shown = 0;
  let tenth = 0;
  return {
    show: ({ seen, status, frames_fraction }) => {
      for (const { status: reached, at } of seen.slice(shown)) stream.write(`${timeText(at)}  ${reached}\n`);
      shown = seen.length;
      const reached = Math.floor((frames_fraction ?? 0) * TENTHS);
      // Compares with `!==`, because the fraction decreases if an attempt is lost.
      if (frames_fraction !== null && reached !== tenth)
        stream.write(`${timeText(now())}  ${status} ${percentText(frames_fraction)}\n`);
      tenth = reached;
    },
    stop: () => undefined,
  };
};

/** A bar on a terminal; otherwise a line for each status and each tenth of the frames. */
export const lifecycleDisplay = (stream: Screen, now: () => number = SYSTEM_CLOCK.now): LifecycleDisplay =>
  stream.isTTY === true ? bar(stream) : lines(stream, now);
