import { openProgressBar } from '../bar.ts';
import type { Screen } from '../screen.ts';
import type { RowResult } from './row-result.ts';

export type BatchProgress = { readonly done: (result: RowResult) => void; readonly stop: () => void };

/** Without a terminal, writes a line after each tenth of the rows. */
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
  const { bar: single } = openProgressBar(stream, ' {bar} {value}/{total} rows  {trouble}', 40);
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

export const batchProgress = (stream: Screen, total: number): BatchProgress =>
  stream.isTTY === true ? bar(stream, total) : lines(stream, total);
