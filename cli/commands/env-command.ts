import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { environmentOf, exportLines } from '../environment-lines.ts';
import { answered } from '../output.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';

export const envCommand = (program: Command, context: CommandContext): void => {
  const description = 'print the addresses and the demo key of the running stack as shell variables';
  addCommand(program, 'env', description, ['env', 'env --json'])
    .addHelpText('after', '\nIn a shell:\n  $ eval "$(./renderctl env)"')
    .action(async ({ json }: { json?: true }) => {
      const environment = context.connection.stack().then((stack) => E.map(environmentOf)(stack));
      const lines = environment.then((found) => answered(found, (variables) => exportLines(variables).trimEnd()));
      await answerTo(context, json, lines);
    });
};
