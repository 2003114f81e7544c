import { rawScreen, type Screen } from '../screen.ts';

export type InspectionProgress = { readonly inspected: () => void; readonly stop: () => void };

const FEW = 20;
const CLEARED = '\r\u001b[K';

/**
 * A terminal shows one line, overwritten each time. Other outputs get nothing, because the command reports its findings
 * at the end.
 */
export const inspectionProgress = (stream: Screen, total: number): InspectionProgress => {
  if (stream.isTTY !== true || total < FEW) return { inspected: () => undefined, stop: () => undefined };
  let count = 0;
  const show = (): void => {
    rawScreen(stream).write(`${CLEARED}${count} of ${total} files checked …`);
  };
  show();
  return {
    inspected: () => {
      count += 1;
      show();
    },
    stop: () => {
      rawScreen(stream).write(CLEARED);
    },
  };
};
