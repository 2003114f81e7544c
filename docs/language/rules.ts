import type { TextlintRuleContext, TextlintRuleReporter } from '@textlint/types';
import { countWords, sentencesOf, withoutCode } from './sentences.ts';
import { NODE_TYPES } from './source-plugin.ts';

export const MAX_SENTENCE_WORDS = 25;
export const MAX_TITLE_WORDS = 14;

const OPENINGS = /^(?:Of|What|Those|Whoever|Whatever|That which|Nor|Be)\b(?!.*\?$)/;
const TITLE_OPENINGS = /^(?:of|what|those|whoever|whatever|that which|nor|be)\b/i;

/** Each word with its plain replacement. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bbe it\b/i, 'say "or", or name both cases'],
  [/\bnobody\b/i, 'name who: "no client", "no process"'],
  [/\b(?:is|are|was|were) none\b/i, '"does not exist", "has no …"'],
  [/\bany ?more\b/i, '"no longer"'],
  [/\btold\b/i, 'name the act: "published", "notified", "configured"'],
  [/\bstands?\b(?! for\b)/i, '"is", "exists", "remains"'],
  [/\bgo(?:es)? on\b/i, '"continues"'],
  [/\bwent on\b/i, '"continued"'],
  [/\bfor ever\b/i, '"permanently", "without a limit"'],
  [/\bcomes? to\b/i, '"is", "becomes"'],
  [/\banew\b/i, '"again"'],
  [/\bwho(?:so)?ever\b/i, '"the one that", "each client that"'],
  [/\blest\b/i, '"so that … does not"'],
  [/\bthere(?:of|upon|by)\b/i, 'name the thing'],
];

type TextNode = Parameters<TextlintRuleContext['report']>[0] & { readonly value?: string };

const judge =
  (types: readonly string[], faultsOf: (text: string) => readonly string[]): TextlintRuleReporter =>
  ({ getSource, report, RuleError }) =>
    Object.fromEntries(
      types.map((type) => [
        type,
        (node: TextNode) => {
          for (const fault of faultsOf(node.value ?? getSource(node))) report(node, new RuleError(fault));
        },
      ]),
    );

const PROSE = ['Paragraph', NODE_TYPES.comment];
const EVERYWHERE = [...PROSE, 'Header', NODE_TYPES.message, NODE_TYPES.title];

const short = (sentence: string): string => (sentence.length > 60 ? `${sentence.slice(0, 57)}…` : sentence);

/** The rules of docs/style.md that a program can check, by name. */
export const RULES: Readonly<Record<string, TextlintRuleReporter>> = {
  openings: judge([...PROSE, NODE_TYPES.message], (text) =>
    sentencesOf(text)
      .filter((sentence) => OPENINGS.test(sentence))
      .map((sentence) => `begin with the subject, or with If or When: "${short(sentence)}"`),
  ),
  words: judge(EVERYWHERE, (text) => {
    const prose = withoutCode(text);
    return WORDS.flatMap(([word, plain]) => {
      const found = word.exec(prose);
      return found === null ? [] : [`"${found[0]}": ${plain}`];
    });
  }),
  length: judge(PROSE, (text) =>
    sentencesOf(text)
      .filter((sentence) => countWords(sentence) > MAX_SENTENCE_WORDS)
      .map((sentence) => `${countWords(sentence)} words, at most ${MAX_SENTENCE_WORDS}: "${short(sentence)}"`),
  ),
  names: judge([NODE_TYPES.name], (name) => [
    `${name}: limits are ${name.replace('MOST', 'MAX').replace('LEAST', 'MIN')}`,
  ]),
  titles: judge([NODE_TYPES.title], (text) => [
    ...(countWords(text) > MAX_TITLE_WORDS
      ? [`${countWords(text)} words, at most ${MAX_TITLE_WORDS}: "${short(text)}"`]
      : []),
    ...(TITLE_OPENINGS.test(text) ? [`begin with the subject: "${short(text)}"`] : []),
  ]),
};
