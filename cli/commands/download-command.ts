import { Argument, type Command } from 'commander';
import type { DownloadNamingView } from '../../catalogue/answers.ts';
import { setDownloadNaming } from '../../catalogue/download-naming.ts';
import { DownloadNameSource } from '../../domain/catalogue/events.ts';
import { tableText } from '../table.ts';
import { addCommand, type CommandContext, changeOutputOf, type JsonOption, runCommand } from './command.ts';

const WORDS: Readonly<Record<DownloadNameSource, string>> = {
  name: 'the name of the render or project (default)',
  id: 'the id of the render or project',
};

export const downloadsText = ({ named_by }: DownloadNamingView): string =>
  tableText(['download names'], [[WORDS[named_by]]]);

export const downloadCommand = (accounts: Command, context: CommandContext): void => {
  addCommand(
    accounts,
    'downloads',
    'set how downloads are named; names in URLs stay in access logs, even after the data is erased',
    ['account downloads acc_01JD… id', 'account downloads acc_01JD… name'],
  )
    .addArgument(new Argument('<account>', 'the account'))
    .addArgument(
      new Argument('<named-by>', 'name or id, of the render or project').choices(Object.keys(DownloadNameSource.keys)),
    )
    .action((account_id: string, named_by: DownloadNameSource, { json }: JsonOption) => {
      const set = context.connection.catalogue((catalogue) => setDownloadNaming(catalogue, account_id, named_by));
      return runCommand(context, json, changeOutputOf(set, downloadsText));
    });
};
