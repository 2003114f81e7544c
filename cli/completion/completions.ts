import type { Argument, Command, Option } from 'commander';

export type CompletionCandidate = { readonly value: string; readonly description: string };

/** The words that the shell offers, or the files of the current folder. */
export type Completions =
  | { readonly tag: 'words'; readonly words: readonly CompletionCandidate[] }
  | { readonly tag: 'files' };

/** Placeholders in the help that stand for file names. */
export const FILE_ARGUMENT_NAMES: readonly string[] = ['file', 'files', 'folder', 'path', 'rows'];

const valueName = ({ flags }: Option): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const wordsOf = (values: readonly string[]): Completions => ({
  tag: 'words',
  words: values.map((value) => ({ value, description: '' })),
});

const valuesOf = (name: string, choices: readonly string[] | undefined): Completions =>
  FILE_ARGUMENT_NAMES.includes(name) ? { tag: 'files' } : wordsOf(choices ?? []);

const optionsOf = (command: Command): readonly Option[] => command.createHelp().visibleOptions(command);

const optionNamed = (command: Command, word: string): Option | undefined =>
  optionsOf(command).find(({ long, short }) => word === long || word === short);

/**
 * The position of the cursor: its command, the number of arguments before the cursor (`behind`), and the option whose
 * value is completed.
 */
type Place = {
  readonly command: Command;
  readonly behind: number;
  readonly option: Option | null;
  /** True after `--`, which ends the options. */
  readonly arguments_only: boolean;
};

const step = (place: Place, word: string): Place => {
  const { command, behind, option, arguments_only } = place;
  // bash passes `--status=failed` as three words, one of which is `=`.
  if (option !== null) return word === '=' ? place : { ...place, option: null };
  if (!arguments_only && word === '--') return { ...place, arguments_only: true };
  if (!arguments_only && word.startsWith('-')) {
    const found = optionNamed(command, word);
    return found !== undefined && takesValue(found) ? { ...place, option: found } : place;
  }
  const next = behind === 0 ? command.commands.find((one) => one.name() === word) : undefined;
  return next === undefined ? { ...place, behind: behind + 1 } : { ...place, command: next };
};

const startingWith = (completions: Completions, beginning: string): Completions =>
  completions.tag === 'files'
    ? completions
    : { tag: 'words', words: completions.words.filter(({ value }) => value.startsWith(beginning)) };

const ofOptions = (command: Command): Completions => ({
  tag: 'words',
  words: optionsOf(command).flatMap(({ long, description }) => (long ? [{ value: long, description }] : [])),
});

const argumentAt = ({ registeredArguments }: Command, i: number): Argument | undefined => {
  const last = registeredArguments.at(-1);
  return registeredArguments[i] ?? (last?.variadic === true ? last : undefined);
};

const ofArguments = ({ command, behind, arguments_only }: Place): Completions => {
  if (command.commands.length > 0) {
    const words = behind === 0 ? command.createHelp().visibleCommands(command) : [];
    return { tag: 'words', words: words.map((one) => ({ value: one.name(), description: one.description() })) };
  }
  const argument = argumentAt(command, behind);
  if (argument !== undefined) return valuesOf(argument.name(), argument.argChoices);
  return arguments_only ? wordsOf([]) : ofOptions(command);
};

/** Completes `--status=fa`. Each offered word repeats the option: `--status=failed`. */
const ofAssigned = (command: Command, name: string, value: string): Completions => {
  const option = optionNamed(command, name);
  if (option === undefined || !takesValue(option)) return wordsOf([]);
  const values = startingWith(valuesOf(valueName(option), option.argChoices), value);
  return values.tag === 'files' ? values : wordsOf(values.words.map((one) => `${name}=${one.value}`));
};

/** @param words the words after the program's name; the last one is at the cursor and may be empty */
export const completionsOf = (program: Command, words: readonly string[]): Completions => {
  const start: Place = { command: program, behind: 0, option: null, arguments_only: false };
  const place = words.slice(0, -1).reduce(step, start);
  const current = words.at(-1) ?? '';
  const { command, option, arguments_only } = place;
  if (option !== null) {
    const values = valuesOf(valueName(option), option.argChoices);
    return current === '=' ? values : startingWith(values, current);
  }
  const [, name, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (!arguments_only && name !== undefined) return ofAssigned(command, name, value);
  if (!arguments_only && current.startsWith('-')) return startingWith(ofOptions(command), current);
  return startingWith(ofArguments(place), current);
};

/** The format for the shell scripts: `words` or `files`, then one word per line. */
export const completionLines = (completions: Completions): string =>
  completions.tag === 'files'
    ? 'files\n'
    : ['words', ...completions.words.map(({ value, description }) => `${value}\t${description}`), ''].join('\n');
