import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { approveDeletion, type HeldDeletion, heldDeletions } from '../../read-models/retention/output-deletions.ts';
import type { CliFault } from '../fault.ts';
import { tableText, timeText } from '../table.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const HELP = `
First find out why so many outputs are due: the retention may be too short, or a
clock may be wrong (the metric retention_clock_timestamp_seconds shows each clock).
After you correct that, the next sweep clears the alarm. An approved deletion begins
with the next sweep, within a day. You cannot undo it.`;

const approved = async (db: ReadStore['db'], account_id: string): Promise<E.Either<CliFault, HeldDeletion>> => {
  const found = (await heldDeletions(db, SYSTEM_CLOCK.now())).find((one) => one.account_id === account_id);
  if (found !== undefined && (await approveDeletion(db, found))) return E.right(found);
  return E.left({ tag: 'not_found', what: 'held deletion', id: account_id, list: 'renderctl retention list' });
};

export const heldDeletionCommands = (program: Command, context: CommandContext): void => {
  const retention = addCommandGroup(program, 'retention', 'large deletions that need the approval of an operator');
  addCommand(retention, 'list', 'list accounts that would lose a large share of their outputs at once', [
    'retention list',
    'retention list --json',
  ]).action(({ json }: JsonOption) =>
    runCommand(
      context,
      json,
      commandOutputOf(
        context.connection.db(async (db) => E.right({ data: await heldDeletions(db, SYSTEM_CLOCK.now()) })),
        ({ data }) =>
          data.length === 0
            ? 'No deletions need approval.'
            : tableText(
                ['account', 'to delete', 'renders', 'ended by', 'since'],
                data.map((one) => [one.account_id, one.renders, one.of, timeText(one.until), timeText(one.at)]),
              ),
      ),
    ),
  );
  addCommand(retention, 'approve', 'approve the deletion that "retention list" shows for an account', [
    'retention approve acc_01JD…',
  ])
    .addArgument(new Argument('<account>', 'the account'))
    .addHelpText('after', HELP)
    .action((account_id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.db((db) => approved(db, account_id)),
          ({ renders, until }) =>
            `Approved. The outputs of ${renders} renders that ended by ${timeText(until)} will be deleted within a day.`,
        ),
      ),
    );
};
