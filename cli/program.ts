import { Command, CommanderError } from 'commander';
import { accountCommands } from './commands/account-commands.ts';
import { assetCommands } from './commands/asset-commands.ts';
import { auditCommand } from './commands/audit-command.ts';
import type { CommandContext } from './commands/command.ts';
import { completionCommand } from './commands/completion-command.ts';
import { envCommand } from './commands/env-command.ts';
import { eraseCommands } from './commands/erase-command.ts';
import { invitationCommands } from './commands/invitation-commands.ts';
import { keyCommands } from './commands/key-commands.ts';
import { logCommands } from './commands/log-commands.ts';
import { memberCommands } from './commands/member-commands.ts';
import { notaryCommands } from './commands/notary-commands.ts';
import { partitionCommands } from './commands/partition-commands.ts';
import { planCommand } from './commands/plan-command.ts';
import { projectCommands } from './commands/project-commands.ts';
import { proveCommand } from './commands/prove-command.ts';
import { quarantineCommands } from './commands/quarantine-commands.ts';
import { quickstartCommand } from './commands/quickstart-command.ts';
import { rebuildCommands } from './commands/rebuild-commands.ts';
import { registryCommands } from './commands/registry-commands.ts';
import { renderCommands } from './commands/render-commands.ts';
import { statsCommand } from './commands/stats-command.ts';
import { statusCommand } from './commands/status-command.ts';
import { stillCommand } from './commands/still-command.ts';
import { teamCommands } from './commands/team-commands.ts';
import { traceCommand } from './commands/trace-command.ts';
import { userCommands } from './commands/user-commands.ts';
import { verifyCommands } from './commands/verify-commands.ts';
import { webhookCommands } from './commands/webhook-commands.ts';
import { workerCommands } from './commands/worker-commands.ts';
import { versionText } from './version.ts';

const WHERE = `
Where it looks:
  The stack that "make start" runs in this project is found through
  .local/stack.json. To work with another one, set KAFKA_BROKERS,
  SCHEMA_REGISTRY_URL, MONGODB_URL and AZURE_STORAGE_CONNECTION_STRING; "render"
  alone needs only RENDERCTL_BASE_URL and RENDERCTL_API_KEY. RENDERCTL_OPERATOR
  names the role that changes are made in, like "on-call": it stands in the log
  with each of them. "plan" and "still" keep copies of assets in ~/.cache/renderctl,
  or in RENDERCTL_CACHE_DIR.

To begin with:
  $ make start                  # in another terminal
  $ eval "$(./renderctl env)"
  $ ./renderctl render create --name First --project "$PROJECT_ID" \\
      --template "$TEMPLATE_ID" --watch
  $ ./renderctl trace rend_…
  $ ./renderctl still "$PROJECT_ID" --at 3.2      # one frame, without a render
  $ ./renderctl render batch examples/demo/rows.csv --project "$PROJECT_ID" \\
      --template "$TEMPLATE_ID" --dry-run         # a render for each row

Exit codes: 0 done, 1 refused or failed, 2 called wrongly, 130 interrupted.`;

/** All commands. Wrong calls and --help are thrown as \`CommanderError\`. */
export const renderctl = (context: CommandContext): Command => {
  const program = new Command('renderctl')
    .description('The tool of operators, analysts and auditors of the video rendering service.')
    .usage('<command> [options]')
    .showHelpAfterError('(--help after a command shows how it is called)')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'renderctl: ')),
    })
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
    // Behind a command --version is that command's own: of a project, for one.
    .enablePositionalOptions()
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      const text = versionText();
      context.stdout.write(`${text}\n`);
      throw new CommanderError(0, 'commander.version', text);
    })
    .addHelpText('after', WHERE);
  quickstartCommand(program, context);
  accountCommands(program, context);
  teamCommands(program, context);
  memberCommands(program, context);
  userCommands(program, context);
  invitationCommands(program, context);
  keyCommands(program, context);
  projectCommands(program, context);
  assetCommands(program, context);
  planCommand(program, context);
  stillCommand(program, context);
  renderCommands(program, context);
  eraseCommands(program, context);
  webhookCommands(program, context);
  workerCommands(program, context);
  traceCommand(program, context);
  logCommands(program, context);
  auditCommand(program, context);
  statsCommand(program, context);
  statusCommand(program, context);
  rebuildCommands(program, context);
  partitionCommands(program, context);
  quarantineCommands(program, context);
  notaryCommands(program, context);
  proveCommand(program, context);
  verifyCommands(program, context);
  registryCommands(program, context);
  envCommand(program, context);
  completionCommand(program, context);
  return program;
};
