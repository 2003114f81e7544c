import type { Clock } from '../../platform/process/clock.ts';
import { openProgressBar } from '../bar.ts';
import { percentText } from '../render/render-text.ts';
import type { Screen } from '../screen.ts';

export type TransferProgress = {
  readonly show: (done_bytes: number, total_bytes: number | null) => void;
  readonly stop: () => void;
};

/** `1.4 MB` */
export const bytesText = (bytes: number): string => {
  if (bytes < 999_500) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 999_950_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
};

const shareText = (done: number, total: number | null): string =>
  total === null ? bytesText(done) : `${percentText(done / total)} of ${bytesText(total)}`;

const EVERY_MS = 2_000;

/** Without a terminal, it writes a line from time to time; a fast transfer writes none. */
const lines = (stream: Screen, clock: Pick<Clock, 'monotonic'>): TransferProgress => {
  let shown_at = clock.monotonic();
  return {
    show: (done, total) => {
      if (clock.monotonic() - shown_at < EVERY_MS) return;
      shown_at = clock.monotonic();
      stream.write(`${shareText(done, total)}\n`);
    },
    stop: () => undefined,
  };
};

const bar = (stream: Screen): TransferProgress => {
  const { bar: single } = openProgressBar(stream, ' {bar} {share}', 30);
  single.start(1, 0, { share: '' });
  return {
    show: (done, total) =>
      single.update(total === null ? 0 : done / Math.max(1, total), { share: shareText(done, total) }),
    stop: () => single.stop(),
  };
};

/** A bar on a terminal; otherwise a line every two seconds. */
export const transferProgress = (stream: Screen, clock: Pick<Clock, 'monotonic'>): TransferProgress =>
  stream.isTTY === true ? bar(stream) : lines(stream, clock);
