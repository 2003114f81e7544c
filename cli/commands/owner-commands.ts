import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { OwnerView } from '../../catalogue/answers.ts';
import { addOwner, listOwners, removeOwner } from '../../catalogue/owners.ts';
import { tableText, timeText } from '../table.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

export const ownersText = (owners: readonly OwnerView[]): string =>
  tableText(
    ['owner', 'account', 'since'],
    owners.map(({ user_id, account_id, owner_since }) => [
      user_id,
      account_id,
      owner_since === null ? null : timeText(owner_since),
    ]),
  );

export const ownerCommands = (accounts: Command, context: CommandContext): void => {
  const owners = addCommandGroup(
    accounts,
    'owner',
    'owners of accounts; they manage the account, its teams and its other owners',
  );
  const who = (command: Command): Command =>
    command.addArgument(new Argument('<account>', 'the account')).addArgument(new Argument('<user>', 'the user'));

  who(
    addCommand(owners, 'add', 'make a user an owner of an account', ['account owner add acc_01JD… user_01JD…']),
  ).action((account_id: string, user_id: string, { json }: JsonOption) => {
    const add = context.connection.catalogue((catalogue) => addOwner(catalogue, { account_id, user_id }));
    return runCommand(
      context,
      json,
      changeOutputOf(add, (owner) => ownersText([owner])),
    );
  });

  who(
    addCommand(
      owners,
      'remove',
      'remove an owner (not the last one); returns when the change is in effect everywhere',
      ['account owner remove acc_01JD… user_01JD…'],
    ),
  ).action((account_id: string, user_id: string, { json }: JsonOption) => {
    const remove = context.connection.catalogue((catalogue) => removeOwner(catalogue, { account_id, user_id }));
    const text = `${user_id} no longer owns ${account_id}.`;
    return runCommand(
      context,
      json,
      changeOutputOf(remove, () => text),
    );
  });

  addCommand(owners, 'list', 'list the owners of an account', ['account owner list acc_01JD…'])
    .addArgument(new Argument('<account>', 'the account'))
    .action((account_id: string, { json }: JsonOption) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly OwnerView[]) => ({ data }))(await listOwners(view, account_id)),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => ownersText(data)),
      );
    });
};
