/** A terminal, a pipe or a file. */
export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Controls, formats (with those that turn text around), surrogates, private and unassigned characters, but for newline and tab. */
const UNSEEN = /(?![\n\t])\p{C}/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * The text as it may be shown: what a terminal would obey, or nobody would see, stands there as `\u001b`. In JSON that is
 * the same text, as such characters are within strings alone.
 */
export const shownText = (text: string): string => text.replace(UNSEEN, escaped);

const RAW = new WeakMap<Screen, Screen>();

/**
 * Where everything that renderctl writes passes: whatever names, files, servers and errors hold, a terminal is told
 * nothing by them.
 */
export const cleanScreen = (raw: Screen): Screen => {
  const write: Screen['write'] = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const text = shownText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    return Reflect.apply(raw.write, raw, [text, ...rest]);
  };
  const screen = new Proxy(raw, {
    get: (stream, name) => {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(stream, name, stream);
      return typeof value === 'function' ? value.bind(stream) : value;
    },
  });
  RAW.set(screen, raw);
  return screen;
};

/** The screen itself, for the sequences of our own that move the cursor. What is data never goes there. */
export const controlled = (screen: Screen): Screen => RAW.get(screen) ?? screen;

/** Where tables for programs go: as they are into a file or a pipe, and like everything else onto a terminal. */
export const dataScreen = (screen: Screen): Screen => (screen.isTTY === true ? screen : controlled(screen));
