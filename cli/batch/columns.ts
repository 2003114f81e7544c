import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../../domain/near-name.ts';
import type { TemplateAnswer } from '../render/render-answers.ts';

/**
 * Indexes of the cells in a row. In `fields`, their keys are field keys; in `named`, column names. The index `key` is
 * that of the "key" column; null if it is missing.
 */
export type BatchColumns = {
  readonly count: number;
  readonly fields: ReadonlyMap<string, number>;
  readonly named: ReadonlyMap<string, number>;
  readonly key: number | null;
};

/** The column that identifies rows, unless a field has this name. */
export const KEY_COLUMN = 'key';
export const ROW_PLACEHOLDER = 'row';

/** `Card {name}` refers to the column `name`. */
export const placeholdersIn = (name: string): readonly string[] =>
  Array.from(name.matchAll(/\{([A-Za-z0-9_-]+)\}/g), ([, word]) => word ?? '');

const twiceIn = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, at) => names.indexOf(name) !== at)),
];

export const parseBatchColumns = (
  heading: readonly string[],
  { fields }: Pick<TemplateAnswer, 'fields'>,
  name: string,
): E.Either<readonly string[], BatchColumns> => {
  const keys = fields.map(({ key }) => key);
  const words = placeholdersIn(name);
  const known = [...keys, ...(keys.includes(KEY_COLUMN) ? [] : [KEY_COLUMN])];
  const faults = [
    ...heading.flatMap((column, at) => (column === '' ? [`column ${at + 1} has no name`] : [])),
    ...twiceIn(heading.filter((column) => column !== '')).map((column) => `column "${column}" occurs twice`),
    ...heading
      .filter((column) => column !== '' && !known.includes(column) && !words.includes(column))
      .map((column) => `column "${column}" is not a field of the template${didYouMean(column, known)}`),
    ...words
      .filter((word) => word !== ROW_PLACEHOLDER && !heading.includes(word) && !keys.includes(word))
      .map((word) => `--name: the file has no column "${word}"${didYouMean(word, [...heading, ...keys])}`),
  ];
  if (faults.length > 0) return E.left(keys.length === 0 ? [...faults, 'the template has no fields'] : faults);
  const named = new Map(heading.map((column, at) => [column, at]));
  return E.right({
    count: heading.length,
    fields: new Map(heading.flatMap((column, at) => (keys.includes(column) ? [[column, at]] : []))),
    named,
    key: keys.includes(KEY_COLUMN) ? null : (named.get(KEY_COLUMN) ?? null),
  });
};
