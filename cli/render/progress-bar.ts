import { SingleBar } from 'cli-progress';
import type { Screen } from '../screen.ts';
import { timeText } from '../table.ts';
import { fittedTrail, type Life, LONGEST_TRAIL, trailText } from './life.ts';

/** Shows a life as it goes on; `stop` leaves the screen as it is. */
export type LifeDisplay = { readonly show: (life: Life) => void; readonly stop: () => void };

/** Columns beside the bar and the trail: spaces, the percentage, the last column left free. */
const AROUND = 10;

const bar = (stream: Screen): LifeDisplay => {
  const columns = stream.columns ?? 80;
  const barsize = Math.max(10, Math.min(40, columns - LONGEST_TRAIL - AROUND));
  const single = new SingleBar({
    format: ' {bar} {percent} %  {trail}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize,
    stream,
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  single.start(1, 0, { percent: '  0', trail: '' });
  return {
    show: (life) => {
      const percent = String(Math.round(life.fraction * 100)).padStart(3);
      single.update(life.fraction, { percent, trail: fittedTrail(trailText(life), columns - barsize - AROUND) });
    },
    stop: () => single.stop(),
  };
};

const lines = (stream: Screen): LifeDisplay => {
  let shown = 0;
  return {
    show: (life) => {
      for (const { status, at } of life.seen.slice(shown)) stream.write(`${timeText(at)}  ${status}\n`);
      shown = life.seen.length;
    },
    stop: () => undefined,
  };
};

/** A bar on a terminal; elsewhere one line for each status. */
export const lifeDisplay = (stream: Screen): LifeDisplay => (stream.isTTY === true ? bar(stream) : lines(stream));
