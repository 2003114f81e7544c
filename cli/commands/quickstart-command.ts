import { join } from 'node:path';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { type QuickstartAnswer, quickstart } from '../../catalogue/quickstart.ts';
import { QUICKSTART_CREDITS } from '../../catalogue/quickstart-conflict.ts';
import { readProject } from '../catalogue/project-files.ts';
import { tableText } from '../table.ts';
import { countParser, parseName } from './arguments.ts';
import { addCommand, type CommandContext, changeOutputOf, type JsonOption, runCommand } from './command.ts';

/** `make start` and `make demo` render the same project. */
const DEMO_PROJECT = join(import.meta.dirname, '..', '..', 'examples', 'demo');
const MAX_CREDITS = 1_000_000_000;

const wordText = (text: string): string => {
  if (/^[A-Za-z0-9_-]{1,40}$/.test(text)) return text;
  throw new InvalidArgumentError('It must have 1 to 40 letters, digits, "-" or "_".');
};

const keyText = ({ key, api_key }: QuickstartAnswer): string =>
  api_key === null
    ? `The key ${key.id} (${key.prefix}…${key.last4}) already exists and cannot be shown again. If you lost it:\n  renderctl key rotate ${key.id} --overlap 0`
    : `${api_key}\n\nThis is the API key. Copy it now: it is not stored and cannot be shown again.`;

const nextText = ({ project, template_id, api_key }: QuickstartAnswer): string => {
  const template = template_id === null ? '' : ` --template ${template_id}`;
  return `Create your first render:\n  export RENDERCTL_API_KEY=${api_key ?? '…'}\n  renderctl render create --name First --project ${project.id}${template} --watch`;
};

const quickstartText = (answer: QuickstartAnswer): string => {
  const { account, team, project, template_id } = answer;
  const credits = account.unlimited_credits ? 'no credit limit' : `${account.granted_credits} credits granted`;
  const table = tableText(
    ['', 'id', ''],
    [
      ['account', account.id, `${account.name}, ${credits}`],
      ['team', team.id, team.name],
      ['project', project.id, `${project.name}, version ${project.version}`],
      ['template', template_id, ''],
      ['key', answer.key.id, `${answer.key.prefix}…${answer.key.last4}`],
    ],
  );
  return [table, keyText(answer), nextText(answer)].join('\n\n');
};

type QuickstartOptions = JsonOption & { id: string; name: string; credits?: number; unlimited?: true };

const HELP = `
You can repeat the command safely: it continues an interrupted run and creates only
what does not exist. An existing project gets no new version: use "project import". A
valid key is kept.`;

export const quickstartCommand = (program: Command, context: CommandContext): void => {
  const description = 'create an account with credits, a team, a project from a folder, and an API key';
  addCommand(program, 'quickstart', description, [
    'quickstart',
    'quickstart examples/demo --credits 5000',
    'quickstart my/project --id film --name "Acme Films" --unlimited',
  ])
    .addArgument(new Argument('[folder]', 'the folder of the project').default(DEMO_PROJECT, 'examples/demo'))
    .addOption(
      new Option('--id <word>', 'suffix of the ids, like acc_demo; another suffix creates everything again')
        .argParser(wordText)
        .default('demo'),
    )
    .addOption(
      new Option('--name <name>', 'name of the account and the team; stored permanently and cannot be erased')
        .argParser(parseName)
        .default('Demo'),
    )
    .addOption(
      new Option(
        '--credits <n>',
        `number of credits; a second of a master video costs 1 credit per megapixel (default: ${QUICKSTART_CREDITS})`,
      )
        .argParser(countParser(MAX_CREDITS))
        .conflicts('unlimited'),
    )
    .option('--unlimited', 'set no credit limit')
    .addHelpText('after', HELP)
    .action((folder: string, { id: word, name, credits, unlimited, json }: QuickstartOptions) => {
      const making = readProject(folder).then((local) =>
        E.isLeft(local)
          ? local
          : context.connection.catalogue((catalogue) =>
              context.connection.blobs((blobs) =>
                quickstart(catalogue, blobs, local.right, {
                  ...{ word, name, credits: unlimited === true ? 'unlimited' : (credits ?? null) },
                }),
              ),
            ),
      );
      return runCommand(context, json, changeOutputOf(making, quickstartText));
    });
};
