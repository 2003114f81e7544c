import { SingleBar } from 'cli-progress';
import { escapeControlCharacters, rawScreen, type Screen } from './screen.ts';

type Beside = Readonly<Record<string, string>>;

export type ProgressBar = {
  readonly start: (total: number, value: number, beside?: Beside) => void;
  readonly update: (value: number, beside?: Beside) => void;
  readonly increment: (by: number, beside?: Beside) => void;
  readonly stop: () => void;
};

const shown = (beside: Beside = {}): Beside =>
  Object.fromEntries(Object.entries(beside).map(([name, text]) => [name, escapeControlCharacters(text)]));

/** `beside`: the columns to keep free for the text next to the bar. `format` is a format string of cli-progress. */
export const openProgressBar = (
  stream: Screen,
  format: string,
  beside: number,
): { readonly bar: ProgressBar; readonly size: number } => {
  const size = Math.max(10, Math.min(40, (stream.columns ?? 80) - beside));
  const bar = new SingleBar({
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: size,
    stream: rawScreen(stream),
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
