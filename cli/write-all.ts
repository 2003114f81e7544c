import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from './fault.ts';
import type { Screen } from './screen.ts';

/** Resolves when the stream accepts more data, so a slow reader does not fill the memory. */
export const writeToScreen = (screen: Screen, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    screen.write(text, (error) => (error == null ? resolve() : reject(error)));
  });

/**
 * Writes texts one at a time, so that their number is not limited by memory.
 *
 * @param stop on Ctrl-C
 */
export const writeAll = async (
  screen: Screen,
  texts: AsyncIterable<string>,
  stop: AbortSignal,
): Promise<E.Either<CliFault, null>> => {
  for await (const text of texts) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    await writeToScreen(screen, text);
  }
  return E.right(null);
};
