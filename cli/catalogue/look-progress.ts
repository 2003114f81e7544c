import { controlled, type Screen } from '../screen.ts';

/** Shows how many files were inspected; `stop` clears the line. */
export type LookProgress = { readonly looked: () => void; readonly stop: () => void };

/** Fewer files are done before a progress line is useful. */
const FEW = 20;
const CLEARED = '\r\u001b[K';

/**
 * One line on a terminal, overwritten each time. Elsewhere it writes nothing, because the command reports its findings
 * at the end.
 */
export const lookProgress = (stream: Screen, total: number): LookProgress => {
  if (stream.isTTY !== true || total < FEW) return { looked: () => undefined, stop: () => undefined };
  let count = 0;
  const show = (): void => {
    controlled(stream).write(`${CLEARED}${count} of ${total} files checked …`);
  };
  show();
  return {
    looked: () => {
      count += 1;
      show();
    },
    stop: () => {
      controlled(stream).write(CLEARED);
    },
  };
};
