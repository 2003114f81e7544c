import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CompositionRequest } from '../../catalogue/composed-project.ts';
import type { CliFault } from '../fault.ts';
import type { CommandContext, JsonOption } from './command.ts';
import { readFieldValues, type ValueOptions, valueEntry } from './values.ts';

export type DrawingOptions = JsonOption & ValueOptions & { readonly template?: string };

/** The request whose frames `plan` and `still` draw. */
export const compositionRequestOf = async (
  project_id: string,
  options: DrawingOptions,
): Promise<E.Either<CliFault, Omit<CompositionRequest, 'at_s'>>> => {
  const values = await readFieldValues(options);
  if (E.isLeft(values)) return values;
  const template_id = options.template ?? null;
  return template_id === null && Object.keys(values.right).length > 0
    ? E.left({ tag: 'usage', message: 'values need a template: set it with --template' })
    : E.right({ project_id, template_id, values: values.right });
};

/** Reports values without a field on stderr. */
export const reportIgnoredValues = ({ stderr }: CommandContext, left_out: readonly string[]): void => {
  for (const fault of left_out) stderr.write(`renderctl: ${fault}; it is ignored\n`);
};

/** The options of `render create`, so that the same arguments preview a render. */
export const drawingOptions = (command: Command): Command =>
  command
    .addArgument(new Argument('<project>', 'the project'))
    .option('--template <template>', 'a template of the project (default: the project without a template)')
    .option('--values <file>', 'a JSON file that maps field keys to values')
    .option('--value <key=value>', 'one value; repeatable; overrides the file', valueEntry);
