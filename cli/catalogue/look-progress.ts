import { controlled, type Screen } from '../screen.ts';

export type LookProgress = { readonly looked: () => void; readonly stop: () => void };

const FEW = 20;
const CLEARED = '\r\u001b[K';

/**
 * A terminal shows one line, overwritten each time. Other outputs get nothing, because the command reports its findings
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
