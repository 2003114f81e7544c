import { Command, CommanderError } from 'commander';

import type { CommandContext } from './commands/command.ts';
import { versionText } from './version.ts';

const WHERE = `
From your own machine:
  "renderctl log in --url https://…" signs you in with a browser. Then "key", "webhook",
  "team list", "project", "asset", "plan", "still" and "erase project" act as you. "render"
  needs an API key: "key create --use", or "log in --key". RENDERCTL_URL and
  RENDERCTL_API_KEY override the log-in, which is in ~/.config/renderctl, or in
  RENDERCTL_CONFIG_DIR.

Where the servers can be reached:
  renderctl finds the stack of "make start" through .local/stack.json. For another
  stack, set KAFKA_BROKERS, SCHEMA_REGISTRY_URL, MONGODB_URL and
  AZURE_STORAGE_CONNECTION_STRING; "render" needs only RENDERCTL_BASE_URL and
  RENDERCTL_API_KEY. Commands then use the servers, also with a log-in; to use the API,
  set RENDERCTL_URL. RENDERCTL_OPERATOR names your role, like "on-call", which the
  log records with each change. It is not verified, so it is shown as "claimed".
  A change waits 15 seconds for the read model, or RENDERCTL_WAIT_S seconds.
  "plan" and "still" keep copies of assets in ~/.cache/renderctl, or in
  RENDERCTL_CACHE_DIR.

Examples:
  $ make start                  # in another terminal
  $ eval "$(./renderctl env)"
  $ ./renderctl render create --name First --project "$PROJECT_ID" \\
      --template "$TEMPLATE_ID" --watch
  $ ./renderctl trace rend_…
  $ ./renderctl still "$PROJECT_ID" --at 3.2      # one frame, without a render
  $ ./renderctl render batch examples/demo/rows.csv --project "$PROJECT_ID" \\
      --template "$TEMPLATE_ID" --dry-run         # a render for each row

Exit codes: 0 success, 1 refused or failed, 2 invalid usage, 130 interrupted.`;

type AddCommand = (program: Command, context: CommandContext) => void;

/**
 * All commands in the order of the help. A call loads only its own command, because loading all takes a third of a
 * second.
 */
export const COMMANDS: readonly (readonly [name: string, load: () => Promise<AddCommand>])[] = [
  ['whoami', async () => (await import('./commands/whoami-command.ts')).whoamiCommand],
  ['quickstart', async () => (await import('./commands/quickstart-command.ts')).quickstartCommand],
  ['account', async () => (await import('./commands/account-commands.ts')).accountCommands],
  ['team', async () => (await import('./commands/team-commands.ts')).teamCommands],
  ['member', async () => (await import('./commands/member-commands.ts')).memberCommands],
  ['user', async () => (await import('./commands/user-commands.ts')).userCommands],
  ['invitation', async () => (await import('./commands/invitation-commands.ts')).invitationCommands],
  ['key', async () => (await import('./commands/key-commands.ts')).keyCommands],
  ['project', async () => (await import('./commands/project-commands.ts')).projectCommands],
  ['asset', async () => (await import('./commands/asset-commands.ts')).assetCommands],
  ['plan', async () => (await import('./commands/plan-command.ts')).planCommand],
  ['still', async () => (await import('./commands/still-command.ts')).stillCommand],
  ['render', async () => (await import('./commands/render-commands.ts')).renderCommands],
  ['erase', async () => (await import('./commands/erase-command.ts')).eraseCommands],
  ['webhook', async () => (await import('./commands/webhook-commands.ts')).webhookCommands],
  ['worker', async () => (await import('./commands/worker-commands.ts')).workerCommands],
  ['trace', async () => (await import('./commands/trace-command.ts')).traceCommand],
  ['log', async () => (await import('./commands/log-commands.ts')).logCommands],
  ['audit', async () => (await import('./commands/audit-command.ts')).auditCommand],
  ['stats', async () => (await import('./commands/stats-command.ts')).statsCommand],
  ['status', async () => (await import('./commands/status-command.ts')).statusCommand],
  ['rebuild', async () => (await import('./commands/rebuild-commands.ts')).rebuildCommands],
  ['partition', async () => (await import('./commands/partition-commands.ts')).partitionCommands],
  ['retention', async () => (await import('./commands/held-deletion-commands.ts')).heldDeletionCommands],
  ['quarantine', async () => (await import('./commands/quarantine-commands.ts')).quarantineCommands],
  ['notary', async () => (await import('./commands/notary-commands.ts')).notaryCommands],
  ['prove', async () => (await import('./commands/prove-command.ts')).proveCommand],
  ['verify', async () => (await import('./commands/verify-commands.ts')).verifyCommands],
  ['registry', async () => (await import('./commands/registry-commands.ts')).registryCommands],
  ['env', async () => (await import('./commands/env-command.ts')).envCommand],
  ['completion', async () => (await import('./commands/completion-command.ts')).completionCommand],
];

/**
 * Without `called` it has all commands. Usage errors and --help throw `CommanderError`.
 *
 * @param called the first argument of the call
 */
export const createRenderctl = async (context: CommandContext, called?: string): Promise<Command> => {
  const program = new Command('renderctl')
    .description('The tool for operators, analysts and auditors of the video rendering service.')
    .usage('<command> [options]')
    .showHelpAfterError('(add --help to a command for its usage)')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'renderctl: ')),
    })
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
    // After a command, --version belongs to the command.
    .enablePositionalOptions()
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      const text = versionText();
      context.stdout.write(`${text}\n`);
      throw new CommanderError(0, 'commander.version', text);
    })
    .addHelpText('after', WHERE);
  const named = COMMANDS.filter(([name]) => name === called);
  const loading = (named.length > 0 ? named : COMMANDS).map(([, load]) => load());
  for (const add of await Promise.all(loading)) add(program, context);
  return program;
};
