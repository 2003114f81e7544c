import { type Comment, type Expression, parseSync, Visitor } from 'oxc-parser';

export type Passage = {
  readonly kind: 'comment' | 'message' | 'title' | 'name';
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

/** Comments that a tool reads. */
const DIRECTIVE = /^\s*(?:biome-|@ts-|<reference|#region|#endregion|https?:|eslint|v8 )/;
/** A string with fewer words is a code, a key or a label. */
const MIN_MESSAGE_WORDS = 4;
/** Names of limits that must change: limits are called MAX_… and MIN_…. */
const LIMIT_NAME = /(?:^|_)(?:MOST|LEAST)(?:_|$)/;
/** `test('title')`, and `test.serial('title')` and the like. */
const TEST_CALLS: ReadonlySet<string> = new Set(['serial', 'failing', 'skip', 'only']);

const isOneLine = (comment: Comment): boolean => comment.type === 'Line';

const commentText = (comment: Comment): string =>
  comment.value
    .split('\n')
    .map((line) => line.replace(/^\s*\*+\s?/, '').trim())
    .join('\n')
    .trim();

/** Consecutive `//` lines are one text. */
const joinLines = (comments: readonly Comment[], source: string): readonly Passage[] => {
  const passages: Passage[] = [];
  let open = null as Passage | null;
  for (const comment of comments) {
    const text = commentText(comment);
    if (text === '' || DIRECTIVE.test(text)) continue;
    if (open !== null && isOneLine(comment) && /^\n[ \t]*$/.test(source.slice(open.end, comment.start))) {
      open = { ...open, text: `${open.text}\n${text}`, end: comment.end };
      passages[passages.length - 1] = open;
      continue;
    }
    const passage: Passage = { kind: 'comment', text, start: comment.start, end: comment.end };
    passages.push(passage);
    open = isOneLine(comment) ? passage : null;
  }
  return passages;
};

const countWords = (text: string): number => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;

const isMessage = (text: string): boolean => countWords(text) >= MIN_MESSAGE_WORDS && /\p{Ll} \p{Ll}/u.test(text);

const declaresTest = (callee: Expression): boolean => {
  if (callee.type === 'Identifier') return callee.name === 'test';
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  return TEST_CALLS.has(callee.property.name) && declaresTest(callee.object);
};

/**
 * Returns the comments, messages (strings and JSX texts of some words), test titles and misnamed limits of a TypeScript
 * file, in its order. Each expression in a template counts as one word.
 */
export const sourcePassages = (file: string, source: string): readonly Passage[] => {
  const { program, comments } = parseSync(file, source);
  const passages: Passage[] = [...joinLines(comments, source)];
  const titles = new Set<number>();
  const add = (node: { start: number; end: number }, text: string): void => {
    const kind = titles.has(node.start) ? 'title' : 'message';
    if (kind === 'title' || isMessage(text)) passages.push({ kind, text, start: node.start, end: node.end });
  };
  new Visitor({
    CallExpression: (node) => {
      const [title] = node.arguments;
      if (title !== undefined && declaresTest(node.callee)) titles.add(title.start);
    },
    Literal: (node) => {
      if (typeof node.value === 'string') add(node, node.value);
    },
    Identifier: ({ name, start, end }) => {
      if (LIMIT_NAME.test(name)) passages.push({ kind: 'name', text: name, start, end });
    },
    TemplateLiteral: (node) => {
      add(node, node.quasis.map((quasi) => quasi.value.cooked ?? '').join('`x`'));
    },
    JSXText: (node) => {
      add(node, node.value.replace(/\s+/g, ' ').trim());
    },
  }).visit(program);
  return passages.toSorted((one, other) => one.start - other.start);
};
