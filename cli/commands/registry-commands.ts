import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { restoreSchemas } from '../../platform/records/restore-schemas.ts';
import type { CliFault } from '../fault.ts';
import { savedSchemasFromBlob, savedSchemasFromFile, savedSchemasFromLog } from '../registry/saved-schemas.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const HELP = `
Records of the log contain the ids of their schemas, so a new registry must keep these
ids. The deploy step saves the schemas in the topic "deployment" and in the blob
deployment/schemas.json. The command reads the topic, then the blob, or a file with a
copy of the blob. Restore into an empty registry, because a registry never assigns
lower ids later. Existing schemas stay, so you can repeat the command. Components need
no restart.`;

const savedSchemas = async ({ connection }: CommandContext, file: string | undefined) => {
  if (file !== undefined) return await savedSchemasFromFile(file);
  const in_log = await connection.log(async (log) => E.right(await savedSchemasFromLog(log)));
  if (E.isRight(in_log) && in_log.right !== null) return E.right(in_log.right);
  const in_blob = await connection.blobs(savedSchemasFromBlob);
  // If both sources fail, the fault of the log is more useful.
  return E.isLeft(in_blob) && E.isLeft(in_log) ? in_log : in_blob;
};

const restored = async (context: CommandContext, file: string | undefined) => {
  const saved = await savedSchemas(context, file);
  if (E.isLeft(saved)) return saved;
  return await context.connection.registry(async (settings) => {
    try {
      const { restored, present } = await restoreSchemas(settings, saved.right.schemas);
      const given = restored.map(({ id, subject, version }) => ({ id, subject, version }));
      return E.right({ from: saved.right.from, present, restored: given });
    } catch (error) {
      const fault: CliFault = { tag: 'refused', reason: 'not_restored', message: messageOf(error) };
      return E.left(fault);
    }
  });
};

const counted = (count: number): string => (count === 1 ? '1 schema was' : `${count} schemas were`);

export const registryCommands = (program: Command, context: CommandContext): void => {
  const registry = addCommandGroup(program, 'registry', 'restore the schema registry');
  addCommand(registry, 'restore', 'restore the schemas of a lost schema registry with their ids', [
    'registry restore',
    'registry restore schemas.json',
  ])
    .addArgument(new Argument('[file]', 'a copy of the blob deployment/schemas.json (default: the topic or the blob)'))
    .addHelpText('after', HELP)
    .action((file: string | undefined, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          restored(context, file),
          ({ restored, present, from }) =>
            `${counted(restored.length)} restored with their ids from ${from}; ${present} already existed.`,
        ),
      ),
    );
};
