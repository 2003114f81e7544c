import * as E from 'fp-ts/lib/Either.js';
import { type AuditDetails, auditContentOf } from '../../domain/audit/audited.ts';
import { type CatalogueEvent, isCatalogueEvent } from '../../domain/catalogue/events.ts';
import { evolveCatalogue } from '../../domain/catalogue/evolve.ts';
import { needsNewerRules } from '../../domain/catalogue/rules.ts';
import type { CatalogueVerdict, CatalogueView } from '../../domain/catalogue/verdict.ts';
import { recordingView } from '../../domain/catalogue/view.ts';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CliFault } from '../fault.ts';
import { withoutPersonalTexts } from '../log/without-texts.ts';
import { type StatusSpan, statusSpansOf } from './life.ts';
import { type Subject, type SubjectState, subjectStateOf } from './subject.ts';
import { EMPTY_META, type TraceRow } from './trace.ts';

/**
 * How a record concerns the subject.
 * - `about`: it names the subject.
 * - `within`: it concerns an entity of the subject, such as a team of the account.
 * - `by`: the subject changed another entity.
 */
export type Relation = 'about' | 'within' | 'by';

/** `ids` and `details` are the same as in the audit log, which has no names, addresses or secrets. */
export type SubjectRow = Omit<TraceRow, 'transition' | 'attempt_id' | 'detail'> &
  AuditDetails & { readonly relation: Relation };

/** Every record that concerns an entity of the catalogue, in log order, with the resulting state. */
export type SubjectTrace = Subject &
  SubjectState & {
    readonly statuses: readonly StatusSpan[];
    readonly events: readonly SubjectRow[];
    /**
     * The offset of the first record that this version does not understand. Later records are not shown. Null if it understands all.
     */
    readonly unread_from: number | null;
  };

const names = (id: string, ids: AuditDetails['ids']): boolean =>
  Object.values(ids).some((one) => (typeof one === 'string' ? one === id : one.includes(id)));

const KINDS_OF_ACTORS: Readonly<Record<string, string>> = { key: 'key', user: 'user' };

const relationOf = (
  { id, kind }: Subject,
  view: CatalogueView,
  event: CatalogueEvent,
  verdict: CatalogueVerdict,
): (AuditDetails & { readonly relation: Relation }) | null => {
  const changes = verdict.tag === 'accepted' ? verdict.changes : [];
  const { ids, details, account_id, team_ids } = auditContentOf(view, event, changes);
  const auditDetails = { ids, details };
  if (names(id, ids)) return { ...auditDetails, relation: 'about' };
  if (account_id === id || team_ids.includes(id)) return { ...auditDetails, relation: 'within' };
  return event.meta.actor === `${KINDS_OF_ACTORS[kind]}:${id}` ? { ...auditDetails, relation: 'by' } : null;
};

/** Whether an unreadable record concerns the subject, according to its key, which consists of one or more ids. */
const isKeyOf = ({ key }: LogRecord, id: string): boolean => (key?.toString('utf8') ?? '').split('/').includes(id);

type Reading = {
  readonly now: number;
  readonly stop: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
};

const PROGRESS_EACH = 20_000;

/** The statuses of the subject over time, including `expired` if its expiry has passed. */
const statusesOf = (rows: readonly SubjectRow[], { expires_at }: SubjectState, now: number): readonly StatusSpan[] => {
  const changes = rows.flatMap(({ status, appended_at: at }, i) =>
    status === null || status === (rows[i - 1]?.status ?? null) ? [] : [{ status, at }],
  );
  const last = changes.at(-1);
  const has_ended = expires_at !== null && expires_at <= now && last !== undefined && last.status !== 'revoked';
  return statusSpansOf(has_ended ? [...changes, { status: 'expired', at: expires_at }] : changes);
};

/**
 * Folds the whole topic, because earlier records decide whether a record is accepted. Left: no record names the
 * subject, or `stop` was called.
 */
export const readSubject = async (
  { log, decode }: Pick<RecordLog, 'decode'> & { readonly log: Pick<EventLog, 'bounds' | 'replay'> },
  subject: Subject,
  { now, stop, onProgress }: Reading,
): Promise<E.Either<CliFault, SubjectTrace>> => {
  const { view, put } = recordingView([], []);
  const events: SubjectRow[] = [];
  let unread_from: number | null = null;
  const [own] = await log.bounds('catalogue-events');
  if (own === undefined)
    return E.left({ tag: 'not_found', what: 'partition of catalogue-events', id: '0', list: null });
  for await (const record of log.replay('catalogue-events', own.partition, own.start, own.end)) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    const { partition, offset, append_time_ms: appended_at } = record;
    if ((offset - own.start + 1) % PROGRESS_EACH === 0) onProgress(offset - own.start + 1, own.end - own.start);
    const place = { partition, offset, appended_at };
    const decoded = await decode(record.value);
    const unread = (type: string, verdict: 'poison' | 'unknown', reason: string): SubjectRow => ({
      ...{ ...place, ...EMPTY_META, type, verdict, reason, relation: 'about', ids: {}, details: {} },
      status: subjectStateOf(view, subject).status,
    });
    if (decoded.tag === 'unknown') {
      events.push(unread('?', 'unknown', decoded.reason));
      unread_from = offset;
      break;
    }
    if (decoded.tag === 'poison' || !isCatalogueEvent(decoded.record)) {
      const reason = decoded.tag === 'poison' ? decoded.reason : `${decoded.record.type} does not belong to this topic`;
      if (isKeyOf(record, subject.id)) events.push(unread('?', 'poison', reason));
      continue;
    }
    const event = withoutPersonalTexts(decoded.record);
    const { type, meta } = event;
    if (needsNewerRules(event)) {
      events.push(unread(type, 'unknown', `version ${event.rules} of the rules is newer than this renderctl`));
      unread_from = offset;
      break;
    }
    const verdict = evolveCatalogue(view, event, appended_at);
    if (verdict.tag === 'accepted') verdict.changes.forEach(put);
    const related = relationOf(subject, view, event, verdict);
    if (related === null) continue;
    const reason = verdict.tag === 'ignored' ? verdict.reason : null;
    const { status } = subjectStateOf(view, subject);
    events.push({ ...place, type, ...meta, verdict: verdict.tag, reason, status, ...related });
  }
  if (!events.some(({ verdict }) => verdict !== 'unknown')) {
    const message = `the log has no record of ${subject.kind} ${subject.id}`;
    return E.left({ tag: 'refused', reason: 'not_named', message });
  }
  const standing = subjectStateOf(view, subject);
  return E.right({ ...subject, ...standing, statuses: statusesOf(events, standing, now), events, unread_from });
};
