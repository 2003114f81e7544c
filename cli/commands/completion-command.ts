import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { completionLines, completionsOf } from '../completion/completions.ts';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { toCommandOutput } from '../output.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';

const RENDERCTL = join(import.meta.dirname, '..', '..', 'renderctl');

const HELP = `
In this terminal only (zsh: replace bash by zsh):
  $ eval "$(./renderctl completion bash)"

In every new terminal:
  $ ./renderctl completion bash >> ~/.bashrc
  $ ./renderctl completion zsh >> ~/.zshrc
  $ mkdir -p ~/.config/fish/completions
  $ ./renderctl completion fish > ~/.config/fish/completions/renderctl.fish`;

export const completionCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'completion', 'print the script for shell completion of commands and options', [
    'completion bash',
    'completion zsh',
    'completion fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell, { json }: JsonOption) => {
      const script = { shell, script: completionScript(shell, RENDERCTL) };
      return runCommand(context, json, Promise.resolve(toCommandOutput(E.right(script), (value) => value.script)));
    });

  // Shells call this hidden command each time the user presses the Tab key.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      context.stdout.write(completionLines(completionsOf(program, words)));
    });
};
