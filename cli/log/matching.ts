import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { RenderOwners } from '../../read-models/renders/owners.ts';
import type { AnyRecord, RecordType } from '../../schemas/any-record.ts';
import { type DecodedLogRecord, decodeLogRecord } from './decoded-record.ts';

export type RecordFilter = {
  readonly render?: string | undefined;
  readonly project?: string | undefined;
  readonly account?: string | undefined;
  readonly types?: readonly RecordType[] | undefined;
};

type Owned = 'render_id' | 'project_id' | 'account_id';

/** The id of the project or account, if the record itself has it. */
const saidIn = (record: AnyRecord, name: Owned): string | null => {
  if (record.type === 'RenderFactAccepted' && name !== 'render_id') return record.render[name];
  const value: unknown = Object.hasOwn(record, name) ? Reflect.get(record, name) : null;
  return typeof value === 'string' ? value : null;
};

const fitsAlone = ({ source, decoded }: DecodedLogRecord, { render, types }: RecordFilter): boolean => {
  if (decoded.tag !== 'record')
    return types === undefined && (render === undefined || source.key?.toString() === render);
  if (types !== undefined && !types.includes(decoded.record.type)) return false;
  return render === undefined || saidIn(decoded.record, 'render_id') === render || source.key?.toString() === render;
};

/**
 * Decodes the records and keeps those that match. Most events of a render do not have its project and account, so the
 * read model provides them, with one query for all records.
 */
export const decodeMatching = async (
  decode: RecordLog['decode'],
  owners: RenderOwners,
  records: readonly LogRecord[],
  wanted: RecordFilter,
): Promise<readonly DecodedLogRecord[]> => {
  const decodedRecords = await Promise.all(records.map((record) => decodeLogRecord(decode, record)));
  const fitting = decodedRecords.filter((one) => fitsAlone(one, wanted));
  const { project, account } = wanted;
  if (project === undefined && account === undefined) return fitting;
  const ownerFilters = [
    ...(project === undefined ? [] : [['project_id', project] as const]),
    ...(account === undefined ? [] : [['account_id', account] as const]),
  ];
  const unsaid = fitting.flatMap(({ decoded }) => {
    if (decoded.tag !== 'record') return [];
    const { record } = decoded;
    return ownerFilters.every(([name]) => saidIn(record, name) !== null) ? [] : (saidIn(record, 'render_id') ?? []);
  });
  const known = await owners([...new Set(unsaid)]);
  return fitting.filter(({ decoded }) => {
    if (decoded.tag !== 'record') return false;
    const { record } = decoded;
    const owner = known.get(saidIn(record, 'render_id') ?? '');
    return ownerFilters.every(([name, id]) => (saidIn(record, name) ?? owner?.[name] ?? null) === id);
  });
};
