import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { environmentOf, exportLines } from '../environment-lines.ts';
import { toCommandOutput } from '../output.ts';
import { addCommand, type CommandContext, runCommand } from './command.ts';

export const envCommand = (program: Command, context: CommandContext): void => {
  const description = 'print the addresses and the demo key of the running stack as shell variables';
  addCommand(program, 'env', description, ['env', 'env --json'])
    .addHelpText('after', '\nIn a shell:\n  $ eval "$(./renderctl env)"')
    .action(async ({ json }: { json?: true }) => {
      const environment = context.connection.stack().then((stack) => E.map(environmentOf)(stack));
      const lines = environment.then((found) =>
        toCommandOutput(found, (variables) => exportLines(variables).trimEnd()),
      );
      await runCommand(context, json, lines);
    });
};
