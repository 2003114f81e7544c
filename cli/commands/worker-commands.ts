import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { listedWorkers } from '../../domain/dispatch/listed-workers.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { readHeartbeats } from '../../platform/records/read-heartbeats.ts';
import { workersText } from '../workers/workers-text.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const HELP = `
A worker is "impeded" while its disk is full or it cannot reach the blob store. It
takes no renders until its own check succeeds. A machine is "set aside" after it lost
several renders in a row; after a pause the dispatcher gives it one render at a time,
until one succeeds. See docs/operations.md.`;

export const workerCommands = (program: Command, context: CommandContext): void => {
  const workers = addCommandGroup(program, 'worker', 'render workers');
  const description = 'list the workers with a heartbeat in the last minute, and why some get no new renders';
  addCommand(workers, 'list', description, ['worker list', 'worker list --json'])
    .addHelpText('after', HELP)
    .action(({ json }: JsonOption) => {
      const listed = context.connection.records(async (records) =>
        E.right({ data: listedWorkers(await readHeartbeats(records), SYSTEM_CLOCK.now()) }),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(listed, ({ data }) => workersText(data)),
      );
    });
};
