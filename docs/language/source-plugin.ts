import type { TextlintPluginCreator, TextlintPluginProcessor } from '@textlint/types';
import { sourcePassages } from './source-passages.ts';

/** The types of nodes for comments, messages, test titles and names. */
export const NODE_TYPES = { comment: 'Comment', message: 'Message', title: 'TestTitle', name: 'Name' } as const;

const lineStarts = (source: string): readonly number[] => {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
};

const positionIn = (starts: readonly number[]) => (offset: number) => {
  const line = starts.findLastIndex((start) => start <= offset);
  return { line: line + 1, column: offset - (starts[line] ?? 0) };
};

const documentOf = (source: string, file: string) => {
  const position = positionIn(lineStarts(source));
  const spanOf = (start: number, end: number) => ({
    range: [start, end] as const,
    loc: { start: position(start), end: position(end) },
    raw: source.slice(start, end),
  });
  return {
    type: 'Document',
    ...spanOf(0, source.length),
    children: sourcePassages(file, source).map(({ kind, text, start, end }) => ({
      type: NODE_TYPES[kind],
      value: text,
      ...spanOf(start, end),
    })),
  };
};

class SourceProcessor {
  availableExtensions() {
    return ['.ts', '.tsx'];
  }

  processor() {
    return {
      preProcess: (source: string, file = 'source.ts') => documentOf(source, file),
      postProcess: (messages: readonly unknown[], filePath = 'source.ts') => ({ messages, filePath }),
    };
  }
}

/** Lets textlint read the texts in TypeScript files. */
export const SOURCE_PLUGIN: TextlintPluginCreator = {
  Processor: SourceProcessor as unknown as new () => TextlintPluginProcessor,
};
