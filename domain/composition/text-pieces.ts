import * as E from 'fp-ts/lib/Either.js';
import { LocalId } from './names.ts';

/** `{{price | currency: EUR, de}}` has the filter `currency` with two arguments. */
export type TextFilter = { readonly name: string; readonly args: readonly string[] };

/** `source` is the placeholder as written, with its braces. */
export type Placeholder = {
  readonly tag: 'placeholder';
  readonly source: string;
  readonly key: string;
  readonly filters: readonly TextFilter[];
};

export type TextPiece = { readonly tag: 'literal'; readonly text: string } | Placeholder;

const OPEN = '{{';
const CLOSE = '}}';
const MAX_SOURCE = 200;
const MAX_FILTERS = 5;
const MAX_SHOWN = 40;

const FOR_BRACES = 'for braces, write {{{{ and }}}}';

/** Has braces that may mean something. */
export const hasBraces = (text: string): boolean => text.includes(OPEN) || text.includes(CLOSE);

const shown = (source: string): string => (source.length <= MAX_SHOWN ? source : `${source.slice(0, MAX_SHOWN)}…`);

const filterOf = (text: string): TextFilter => {
  const colon = text.indexOf(':');
  return colon === -1
    ? { name: text.trim(), args: [] }
    : {
        name: text.slice(0, colon).trim(),
        args: text
          .slice(colon + 1)
          .split(',')
          .map((arg) => arg.trim()),
      };
};

const placeholderOf = (source: string): E.Either<string, Placeholder> => {
  if (source.length > MAX_SOURCE)
    return E.left(`"${shown(source)}" must have at most ${MAX_SOURCE} characters; ${FOR_BRACES}`);
  const [key = '', ...filters] = source.slice(OPEN.length, -CLOSE.length).split('|');
  if (!LocalId.is(key.trim())) return E.left(`"${shown(source)}" must begin with the key of a field; ${FOR_BRACES}`);
  if (filters.length > MAX_FILTERS) return E.left(`"${shown(source)}" must have at most ${MAX_FILTERS} filters`);
  return E.right({ tag: 'placeholder', source, key: key.trim(), filters: filters.map(filterOf) });
};

/**
 * The pieces of a text, in one pass. Four braces mean two, so that each text can be written. In an odd run of opening
 * braces, one is a character: `{{{name}}}` is `{`, the name, `}`. Closing braces without opening ones are characters.
 */
export const parseText = (text: string): E.Either<string, readonly TextPiece[]> => {
  const pieces: TextPiece[] = [];
  const pushLiteral = (literal: string): void => {
    if (literal !== '') pieces.push({ tag: 'literal', text: literal });
  };
  const runs = /\{+|\}+/g;
  let at = 0;
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    const [braces] = run;
    const rest = braces.length % 4;
    const opens = braces.startsWith(OPEN) && rest >= 2;
    const count = 2 * Math.floor(braces.length / 4) + (opens ? rest - 2 : rest);
    pushLiteral(text.slice(at, run.index) + braces.slice(0, count));
    at = run.index + braces.length;
    if (!opens) continue;
    const close = text.indexOf(CLOSE, at);
    const source = text.slice(at - OPEN.length, close === -1 ? undefined : close + CLOSE.length);
    if (close === -1) return E.left(`"${shown(source)}" has no closing }}; ${FOR_BRACES}`);
    const placeholder = placeholderOf(source);
    if (E.isLeft(placeholder)) return placeholder;
    pieces.push(placeholder.right);
    at = close + CLOSE.length;
    runs.lastIndex = at;
  }
  pushLiteral(text.slice(at));
  return E.right(pieces);
};
