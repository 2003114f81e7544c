import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { TOPICS } from '../../platform/event-log/topics.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { findQuarantined, listQuarantine, type QuarantinedRecord } from '../../read-models/quarantine.ts';
import type { CliFault } from '../fault.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { countUpTo } from './arguments.ts';
import { addCommand, answeredAs, answerTo, type CommandContext, group, type JsonOption } from './command.ts';

const LISTED = 50;
const MAX = 1_000;

const RETRY_HELP = `
Bytes in the log never change, but schemas and decoders do. "decodes" means that the
bytes are now a readable record. The read models include the record, at its place
in the log, when they are next folded from the log (docs/operations.md, "Read
models"). Published events keep their order, and the record is not added to them.
This command changes nothing.`;

type Tried = {
  readonly record: string;
  readonly was: string;
  readonly now: 'decodes' | 'does not decode' | 'not known' | 'gone';
  readonly detail: string;
};

const notFound = (id: string): CliFault => ({
  tag: 'not_found',
  what: 'record in the quarantine',
  id,
  list: 'renderctl quarantine list',
});

/** Decodes the record's bytes from the log, because the quarantine may hold only their beginning. */
const tryNow = async ({ log, decode }: RecordLog, found: QuarantinedRecord): Promise<Tried> => {
  const { _id, topic, partition, offset, reason: was } = found;
  const [record] = await log.read([{ topic, partition, offset }]);
  if (record == null) return { record: _id, was, now: 'gone', detail: 'the log no longer has it' };
  const decoded = await decode(record.value);
  if (decoded.tag === 'record') return { record: _id, was, now: 'decodes', detail: decoded.record.type };
  const now = decoded.tag === 'poison' ? 'does not decode' : 'not known';
  return { record: _id, was, now, detail: decoded.reason };
};

/** Reasons of misplaced records: their bytes were always valid. */
const MISPLACED: readonly string[] = ['wrong_topic', 'key_mismatch', 'wrong_partition'];

const counts = ({ now, was }: Tried): boolean => now === 'decodes' && !MISPLACED.includes(was);

const retryText = (tried: readonly Tried[]): string => {
  if (tried.length === 0) return 'The quarantine is empty.';
  const table = tableText(
    ['record', 'now', 'what', 'was quarantined as'],
    tried.map(({ record, now, detail, was }) => [record, now, detail, was]),
  );
  const decodable = tried.filter(counts).length;
  if (decodable === 0) return `${table}\n\nNone of them can be folded now.`;
  const which = decodable === 1 ? 'One of them' : `${decodable} of them`;
  return `${table}\n\n${which} can be folded now. To include them, fold the read models from the log again, as docs/operations.md, "Read models", says. Published events keep their order.`;
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
  const quarantine = group(program, 'quarantine', 'bytes in topics that are not valid records');
  addCommand(quarantine, 'list', 'list the newest records in quarantine', [
    'quarantine list',
    'quarantine list --topic render-events',
  ])
    .addOption(new Option('--topic <topic>', 'only this topic').choices(TOPICS.map(({ name }) => name)))
    .option('--limit <count>', `maximum number of records, up to ${MAX}`, countUpTo(MAX), LISTED)
    .action((options: JsonOption & { topic?: string; limit: number }) =>
      answerTo(
        context,
        options.json,
        answeredAs(list(context, options), ({ data }) =>
          data.length === 0
            ? 'The quarantine is empty.'
            : tableText(
                ['record', 'found', 'reason'],
                data.map(({ record, found_at, reason }) => [record, timeText(found_at.getTime()), reason]),
              ),
        ),
      ),
    );
  addCommand(quarantine, 'show', 'show one record with its bytes', [
    'quarantine show render-events/3/1042',
    'quarantine show render-events/3/1042 --json',
  ])
    .addArgument(new Argument('<record>', 'topic/partition/offset'))
    .action((id: string, { json }: JsonOption) =>
      answerTo(
        context,
        json,
        shown(context, id).then((result) => answered(result, shownText)),
      ),
    );
  addCommand(quarantine, 'retry', 'check whether the bytes decode now', [
    'quarantine retry',
    'quarantine retry render-events/3/1042',
  ])
    .addArgument(new Argument('[records...]', `topic/partition/offset (default: the newest ${MAX})`))
    .addHelpText('after', RETRY_HELP)
    .action((ids: readonly string[], { json }: JsonOption) =>
      answerTo(
        context,
        json,
        answeredAs(retried(context, ids), ({ data }) => retryText(data)),
      ),
    );
};
