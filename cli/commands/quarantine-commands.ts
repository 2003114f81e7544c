import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { TOPICS } from '../../platform/event-log/topics.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { findQuarantined, listQuarantine, type QuarantinedRecord } from '../../read-models/quarantine.ts';
import type { CliFault } from '../fault.ts';
import { toCommandOutput } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { countParser } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const LISTED = 50;
const MAX = 1_000;

const RETRY_HELP = `
The bytes in the log never change, but schemas and decoders do. "decodes" means that
the record can be decoded now. The read models include it, at its place in the log,
after their next rebuild (docs/operations.md, "Read models"). It is not added to the
published events. This command changes nothing.`;

type Tried = {
  readonly record: string;
  readonly was: string;
  readonly now: 'decodes' | 'does not decode' | 'not known' | 'gone';
  readonly detail: string;
};

const notFound = (id: string): CliFault => ({
  tag: 'not_found',
  what: 'quarantined record',
  id,
  list: 'renderctl quarantine list',
});

/** Decodes the record from the log again, because the quarantine may have only the beginning of its bytes. */
const tryNow = async ({ log, decode }: RecordLog, found: QuarantinedRecord): Promise<Tried> => {
  const { _id, topic, partition, offset, reason: was } = found;
  const [record] = await log.read([{ topic, partition, offset }]);
  if (record == null) return { record: _id, was, now: 'gone', detail: 'deleted from the log' };
  const decoded = await decode(record.value);
  if (decoded.tag === 'record') return { record: _id, was, now: 'decodes', detail: decoded.record.type };
  const now = decoded.tag === 'poison' ? 'does not decode' : 'not known';
  return { record: _id, was, now, detail: decoded.reason };
};

/** Reasons that concern a record's position. Its bytes were always valid, so decoding them proves nothing. */
const MISPLACED: readonly string[] = ['wrong_topic', 'key_mismatch', 'wrong_partition'];

const counts = ({ now, was }: Tried): boolean => now === 'decodes' && !MISPLACED.includes(was);

const retryText = (tried: readonly Tried[]): string => {
  if (tried.length === 0) return 'The quarantine is empty.';
  const table = tableText(
    ['record', 'now', 'detail', 'quarantined as'],
    tried.map(({ record, now, detail, was }) => [record, now, detail, was]),
  );
  const decodable = tried.filter(counts).length;
  if (decodable === 0) return `${table}\n\nNo record can be folded yet.`;
  const which = decodable === 1 ? 'One record' : `${decodable} records`;
  const them = decodable === 1 ? 'it' : 'them';
  return `${table}\n\n${which} can be folded now. To include ${them}, rebuild the read models (docs/operations.md, "Read models"). Events that were already published do not change.`;
};

const found = (context: CommandContext, ids: readonly string[]) =>
  context.connection.db(async (db) => {
    if (ids.length === 0) return E.right(await listQuarantine(db, null, MAX));
    const records: QuarantinedRecord[] = [];
    for (const id of ids) {
      const one = await findQuarantined(db, id);
      if (one === null) return E.left(notFound(id));
      records.push(one);
    }
    return E.right(records);
  });

const retried = async (context: CommandContext, ids: readonly string[]) => {
  const records = await found(context, ids);
  if (E.isLeft(records)) return records;
  return await context.connection.records(async (log) => {
    const data: Tried[] = [];
    for (const one of records.right) data.push(await tryNow(log, one));
    return E.right({ data });
  });
};

const list = (context: CommandContext, { topic, limit }: { topic?: string; limit: number }) =>
  context.connection.db(async (db) => {
    const all = await listQuarantine(db, topic ?? null, limit);
    return E.right({ data: all.map(({ _id: record, reason, found_at }) => ({ record, reason, found_at })) });
  });

const shown = (context: CommandContext, id: string) =>
  context.connection.db(async (db) => {
    const one = await findQuarantined(db, id);
    if (one === null) return E.left(notFound(id));
    const { _id: record, ...rest } = one;
    return E.right({ record, ...rest });
  });

type Shown = Extract<Awaited<ReturnType<typeof shown>>, { _tag: 'Right' }>['right'];

const BYTES_SHOWN = 256;

const shownText = ({ record, reason, found_at, key_base64, value_base64 }: Shown): string => {
  const bytes = value_base64 === null ? null : Buffer.from(value_base64, 'base64');
  const rows = [
    ['record', record],
    ['found', timeText(found_at.getTime())],
    ['reason', reason],
    ['key', key_base64 === null ? null : Buffer.from(key_base64, 'base64').toString()],
    ['bytes kept', bytes?.length ?? null],
    ['begins with', bytes?.subarray(0, BYTES_SHOWN).toString('hex') ?? null],
  ] as const;
  return tableText(['', ''], rows);
};

export const quarantineCommands = (program: Command, context: CommandContext): void => {
  const quarantine = addCommandGroup(program, 'quarantine', 'records that were skipped because they are invalid');
  addCommand(quarantine, 'list', 'list the newest quarantined records', [
    'quarantine list',
    'quarantine list --topic render-events',
  ])
    .addOption(new Option('--topic <topic>', 'only this topic').choices(TOPICS.map(({ name }) => name)))
    .option('--limit <count>', `maximum number of records, up to ${MAX}`, countParser(MAX), LISTED)
    .action((options: JsonOption & { topic?: string; limit: number }) =>
      runCommand(
        context,
        options.json,
        commandOutputOf(list(context, options), ({ data }) =>
          data.length === 0
            ? 'The quarantine is empty.'
            : tableText(
                ['record', 'found', 'reason'],
                data.map(({ record, found_at, reason }) => [record, timeText(found_at.getTime()), reason]),
              ),
        ),
      ),
    );
  addCommand(quarantine, 'show', 'show a quarantined record with its bytes', [
    'quarantine show render-events/3/1042',
    'quarantine show render-events/3/1042 --json',
  ])
    .addArgument(new Argument('<record>', 'topic/partition/offset'))
    .action((id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        shown(context, id).then((result) => toCommandOutput(result, shownText)),
      ),
    );
  addCommand(quarantine, 'retry', 'check whether quarantined records can be decoded now', [
    'quarantine retry',
    'quarantine retry render-events/3/1042',
  ])
    .addArgument(new Argument('[records...]', `topic/partition/offset (default: the newest ${MAX})`))
    .addHelpText('after', RETRY_HELP)
    .action((ids: readonly string[], { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(retried(context, ids), ({ data }) => retryText(data)),
      ),
    );
};
