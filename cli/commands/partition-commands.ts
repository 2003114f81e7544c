import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import {
  findStoppedPartition,
  listStoppedPartitions,
  requestResume,
  type StoppedPartitionDocument,
} from '../../platform/read-store/stopped-partitions.ts';
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
The process that owns the partition checks for requests every two seconds. It then
opens the partition at its last position, as after a restart. It skips no records: if
the cause remains, the partition stops again.`;

const TAKEN_UP_MS = 15_000;
/** How long to wait for a second stop: if the cause remains, the first batch stops the partition again. */
const STOPS_AGAIN_MS = 5_000;
const LOOK_MS = 250;

const shown = ({ group, topic, partition, offset, reason, stopped_at }: StoppedPartitionDocument) => ({
  ...{ group, partition: `${topic}/${partition}`, offset, reason, stopped_at },
});

const notStopped = (id: string): CliFault => ({
  tag: 'not_found',
  what: 'stopped partition',
  id,
  list: 'renderctl partition list',
});

const until = async (limit_ms: number, look: () => Promise<boolean>): Promise<boolean> => {
  const deadline = SYSTEM_CLOCK.monotonic() + limit_ms;
  for (;;) {
    if (await look()) return true;
    if (SYSTEM_CLOCK.monotonic() > deadline) return false;
    await SYSTEM_CLOCK.sleep(LOOK_MS);
  }
};

const resumed = async (db: ReadStore['db'], group: string, partition: string): Promise<E.Either<CliFault, Resumed>> => {
  const id = `${group} ${partition}`;
  const asked_at = SYSTEM_CLOCK.now();
  if (!(await requestResume(db, id, asked_at))) return E.left(notStopped(id));
  const find = () => findStoppedPartition(db, id);
  const taken_up = await until(TAKEN_UP_MS, async () => (await find())?.asked_at == null);
  if (!taken_up) {
    const message = `the partition was not resumed within ${TAKEN_UP_MS / 1000} s: is the process of group ${group} running? it resumes the partition when it starts`;
    return E.left({ tag: 'refused', reason: 'not_taken_up', message });
  }
  // The process deletes the document of the stop when it opens the partition, and writes a new one if the partition
  // stops again.
  await until(STOPS_AGAIN_MS, async () => (await find()) === null);
  await until(STOPS_AGAIN_MS, async () => (await find()) !== null);
  const again = await find();
  if (again === null) return E.right({ group, partition });
  return E.left({ tag: 'refused', reason: 'stopped_again', message: `${partition} stopped again: ${again.reason}` });
};

type Resumed = { readonly group: string; readonly partition: string };

export const partitionCommands = (program: Command, context: CommandContext): void => {
  const partitions = addCommandGroup(program, 'partition', 'partitions that stopped because of an error');
  addCommand(partitions, 'list', 'list the stopped partitions with the reasons', [
    'partition list',
    'partition list --json',
  ]).action(({ json }: JsonOption) =>
    runCommand(
      context,
      json,
      commandOutputOf(
        context.connection.db(async (db) =>
          E.right({ data: (await listStoppedPartitions(db, SYSTEM_CLOCK.now())).map(shown) }),
        ),
        ({ data }) =>
          data.length === 0
            ? 'No stopped partitions.'
            : tableText(
                ['group', 'partition', 'offset', 'since', 'reason'],
                data.map((one) => [
                  ...[one.group, one.partition, one.offset, timeText(one.stopped_at.getTime()), one.reason],
                ]),
              ),
      ),
    ),
  );
  addCommand(partitions, 'resume', 'resume a stopped partition', [
    'partition resume render-projector-g2 render-events/3',
  ])
    .addArgument(new Argument('<group>', 'the consumer group, as "partition list" shows it'))
    .addArgument(new Argument('<partition>', 'topic/partition'))
    .addHelpText('after', HELP)
    .action((group: string, partition: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.db((db) => resumed(db, group, partition)),
          () => `${partition} has resumed.`,
        ),
      ),
    );
};
