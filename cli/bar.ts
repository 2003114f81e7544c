import { SingleBar } from 'cli-progress';
import type { Screen } from './screen.ts';

/** A bar on a terminal, for `beside` columns that are beside it. `format` is that of cli-progress. */
export const openBar = (
  stream: Screen,
  format: string,
  beside: number,
): { readonly bar: SingleBar; readonly size: number } => {
  const size = Math.max(10, Math.min(40, (stream.columns ?? 80) - beside));
  const bar = new SingleBar({
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: size,
    stream,
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  return { bar, size };
};
