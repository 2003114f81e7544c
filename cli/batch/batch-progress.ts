import { SingleBar } from 'cli-progress';
import type { Screen } from '../screen.ts';
import type { RowResult } from './row-result.ts';

/** Shows how many rows are done, one more at each call; `stop` leaves the screen as it is. */
export type BatchProgress = { readonly done: (result: RowResult) => void; readonly stop: () => void };

/** Not on a terminal: a line for each tenth of the rows. */
const TENTHS = 10;

const lines = (stream: Screen, total: number): BatchProgress => {
  let count = 0;
  return {
    done: () => {
      count += 1;
      const tenth = (of: number): number => Math.floor((of * TENTHS) / total);
      if (tenth(count) > tenth(count - 1)) stream.write(`${count} of ${total} rows\n`);
    },
    stop: () => undefined,
  };
};

const bar = (stream: Screen, total: number): BatchProgress => {
  const single = new SingleBar({
    format: ' {bar} {value}/{total} rows  {trouble}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: Math.max(10, Math.min(40, (stream.columns ?? 80) - 40)),
    stream,
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  let trouble = 0;
  single.start(total, 0, { trouble: '' });
  return {
    done: ({ error }) => {
      if (error !== null) trouble += 1;
      single.increment(1, { trouble: trouble === 0 ? '' : `${trouble} not rendered` });
    },
    stop: () => single.stop(),
  };
};

/** @param total requested rows */
export const batchProgress = (stream: Screen, total: number): BatchProgress =>
  stream.isTTY === true ? bar(stream, total) : lines(stream, total);
