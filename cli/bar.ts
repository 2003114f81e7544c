import { SingleBar } from 'cli-progress';
import { controlled, type Screen, shownText } from './screen.ts';

type Beside = Readonly<Record<string, string>>;

/** A bar on a terminal, with texts beside it. */
export type Bar = {
  readonly start: (total: number, value: number, beside?: Beside) => void;
  readonly update: (value: number, beside?: Beside) => void;
  readonly increment: (by: number, beside?: Beside) => void;
  readonly stop: () => void;
};

const shown = (beside: Beside = {}): Beside =>
  Object.fromEntries(Object.entries(beside).map(([name, text]) => [name, shownText(text)]));

/** Opens a bar that leaves `beside` columns for the text beside it. `format` is the format string of cli-progress. */
export const openBar = (
  stream: Screen,
  format: string,
  beside: number,
): { readonly bar: Bar; readonly size: number } => {
  const size = Math.max(10, Math.min(40, (stream.columns ?? 80) - beside));
  const bar = new SingleBar({
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: size,
    stream: controlled(stream),
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  return {
    size,
    bar: {
      start: (total, value, texts) => bar.start(total, value, shown(texts)),
      update: (value, texts) => bar.update(value, shown(texts)),
      increment: (by, texts) => bar.increment(by, shown(texts)),
      stop: () => bar.stop(),
    },
  };
};
