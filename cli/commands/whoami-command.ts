import type { Command } from 'commander';
import { identityText, readIdentity } from '../http/identity.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

export const whoamiCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'whoami', 'show the service, the account and the teams of your API key', ['whoami']).action(
    ({ json }: JsonOption) =>
      runCommand(context, json, commandOutputOf(context.connection.service(readIdentity), identityText)),
  );
};
