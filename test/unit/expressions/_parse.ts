/** The structure of a regular expression that the derivation of hostile input needs. */
export type Node =
  /** One character: a literal, an escape, a class or a dot. */
  | { readonly tag: 'atom'; readonly source: string }
  | { readonly tag: 'sequence'; readonly parts: readonly Node[] }
  | { readonly tag: 'choice'; readonly options: readonly Node[] }
  | { readonly tag: 'repeat'; readonly body: Node; readonly min: number; readonly max: number }
  /** A lookahead or lookbehind, which consumes nothing. */
  | { readonly tag: 'look'; readonly body: Node }
  | { readonly tag: 'empty' };

const EMPTY: Node = { tag: 'empty' };
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pPq]\{[^}]*\}|k<[^>]*>|[1-9]\d*|[\s\S])/y;
const GROUP = /\((?:\?(?:<?[=!]|:|<[^>]*>|[a-z-]*:))?/y;
const COUNT = /[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y;

/** Parses expressions that the engine has compiled already, so they are well formed. */
class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #nested: boolean;
  #at = 0;

  constructor({ source, unicode, unicodeSets }: RegExp) {
    this.#source = source;
    this.#unicode = unicode || unicodeSets;
    this.#nested = unicodeSets;
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  choice(): Node {
    const options = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { tag: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      const body = this.#one();
      const count = this.#take(COUNT);
      parts.push(count === null ? body : repeated(body, count));
    }
    return { tag: 'sequence', parts };
  }

  #one(): Node {
    const char = this.#source[this.#at] ?? '';
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if (char === '^' || char === '$') {
      this.#at += 1;
      return EMPTY;
    }
    const code = this.#unicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at);
    const source = String.fromCodePoint(code ?? 0);
    this.#at += source.length;
    return { tag: 'atom', source };
  }

  #group(): Node {
    const opened = this.#take(GROUP)?.[0] ?? '(';
    const body = this.choice();
    this.#at += 1;
    return /[=!]$/.test(opened) ? { tag: 'look', body } : body;
  }

  #class(): Node {
    const from = this.#at;
    let depth = 0;
    do {
      const char = this.#source[this.#at];
      if (char === '\\') this.#take(ESCAPE);
      else {
        if (char === '[' && (this.#nested || depth === 0)) depth += 1;
        if (char === ']') depth -= 1;
        this.#at += 1;
      }
    } while (depth > 0);
    return { tag: 'atom', source: this.#source.slice(from, this.#at) };
  }

  #escape(): Node {
    const source = this.#take(ESCAPE)?.[0] ?? '';
    return /^\\(?:[bB]$|k<|[1-9])/.test(source) ? EMPTY : { tag: 'atom', source };
  }
}

const repeated = (body: Node, [text, from, comma, to]: RegExpExecArray): Node => {
  if (from === undefined)
    return {
      tag: 'repeat',
      body,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
    };
  const max = comma === '' ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to);
  return { tag: 'repeat', body, min: Number(from), max };
};

export const parse = (expression: RegExp): Node => new Parser(expression).choice();
