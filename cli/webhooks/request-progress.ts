import { rawScreen, type Screen } from '../screen.ts';

export type RequestProgress = { readonly show: (requested: number) => void; readonly stop: () => void };

const EVERY_MS = 2_000;

/** One line, overwritten on a terminal; otherwise a line from time to time. */
export const requestProgress = (stream: Screen): RequestProgress => {
  const text = (requested: number): string => `${requested} requested …`;
  if (stream.isTTY === true) {
    let begun = false;
    return {
      show: (requested) => {
        begun = true;
        rawScreen(stream).write(`\r${text(requested)}`);
      },
      stop: () => {
        if (begun) stream.write('\n');
      },
    };
  }
  let shown_at = performance.now();
  return {
    show: (requested) => {
      if (performance.now() - shown_at < EVERY_MS) return;
      shown_at = performance.now();
      stream.write(`${text(requested)}\n`);
    },
    stop: () => undefined,
  };
};
