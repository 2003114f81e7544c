import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CliFault } from '../fault.ts';
import { collectValues } from './arguments.ts';

export type ValueOptions = { readonly values?: string; readonly value?: readonly string[] };

const Values = t.record(t.string, t.union([t.string, t.number, t.boolean, t.null]));

const valuesFrom = async (path: string): Promise<E.Either<CliFault, Record<string, string>>> => {
  const unreadable = (message: string): CliFault => ({ tag: 'unreadable_file', path, message });
  try {
    const values = Values.decode(JSON.parse(await readFile(path, 'utf8')));
    if (E.isLeft(values)) return E.left(unreadable('it must be a JSON object with strings, numbers or booleans'));
    const given = Object.entries(values.right).filter(([, value]) => value !== null);
    return E.right(Object.fromEntries(given.map(([key, value]) => [key, String(value)])));
  } catch (error) {
    return E.left(unreadable(error instanceof SyntaxError ? 'it is not JSON' : 'the file does not exist'));
  }
};

export const valueEntry = (text: string, before: readonly string[] = []): readonly string[] => {
  if (!/^[^=]+=/.test(text)) throw new InvalidArgumentError('It must look like key=value.');
  return collectValues(text, before);
};

/** Values by field key; empty if the user gave no values. A value from the command line overrides one from the file. */
export const readFieldValues = async (options: ValueOptions): Promise<E.Either<CliFault, Record<string, string>>> => {
  const fromFile = options.values === undefined ? E.right({}) : await valuesFrom(options.values);
  if (E.isLeft(fromFile)) return fromFile;
  const entries = (options.value ?? []).map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  return E.right({ ...fromFile.right, ...Object.fromEntries(entries) });
};
