export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Characters without a glyph, except newline and tab: controls, formats (including text direction), surrogates, private
 * and unassigned.
 */
const UNSEEN = /(?![\n\t])\p{C}/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * Replaces characters that control a terminal or are invisible with escapes like `\u001b`. JSON text stays valid,
 * because such characters occur only in its strings.
 */
export const escapeControlCharacters = (text: string): string => text.replace(UNSEEN, escaped);

const RAW = new WeakMap<Screen, Screen>();

/** Escapes control characters in all output, so that names, files and servers cannot control the terminal. */
export const escapingScreen = (raw: Screen): Screen => {
  const write: Screen['write'] = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const text = escapeControlCharacters(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
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

/** For cursor movements of renderctl itself. Never write data to it. */
export const rawScreen = (screen: Screen): Screen => RAW.get(screen) ?? screen;

/** For tables that programs read: unescaped in a file or a pipe, escaped on a terminal. */
export const dataScreen = (screen: Screen): Screen => (screen.isTTY === true ? screen : rawScreen(screen));
