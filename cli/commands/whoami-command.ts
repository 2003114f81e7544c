import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { type Identity, identityText, readIdentity } from '../http/identity.ts';
import { type LoggedInPerson, personText, readPerson } from '../http/me.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const whoami = async ({ connection }: CommandContext): Promise<E.Either<CliFault, Identity | LoggedInPerson>> => {
  const person = await connection.session(readPerson);
  const needsKey = E.isLeft(person) && ['session_needed', 'no_stack'].includes(person.left.tag);
  return needsKey ? await connection.service(readIdentity) : person;
};

export const whoamiCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'whoami', 'show the service, and the person or the API key that you are logged in as', [
    'whoami',
  ]).action(({ json }: JsonOption) =>
    runCommand(
      context,
      json,
      commandOutputOf(whoami(context), (found) => ('is_operator' in found ? personText(found) : identityText(found))),
    ),
  );
};
