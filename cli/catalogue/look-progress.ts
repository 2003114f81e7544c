import { controlled, type Screen } from '../screen.ts';

/** Shows how many files were looked into; `stop` clears the line. */
export type LookProgress = { readonly looked: () => void; readonly stop: () => void };

/** Fewer are done before anybody wonders. */
const FEW = 20;
const CLEARED = '\r\u001b[K';

/** On a terminal one line that is overwritten; elsewhere nothing: what is found is told at the end. */
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
