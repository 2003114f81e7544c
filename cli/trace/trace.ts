import { isDeepStrictEqual } from 'node:util';
import type { RenderEvent } from '../../domain/render/events.ts';
import { foldStep, type TimestampedEvent } from '../../domain/render/fold.ts';
import type { Render, Transition } from '../../domain/render/render.ts';
import type { SealedRecord } from '../../platform/seals/opener.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import { nameHash } from '../../schemas/blobs/salted-name.ts';
import { eventDetail } from './event-detail.ts';

export type LoggedRecord = { readonly partition: number; readonly offset: number } & (
  | ({ readonly tag: 'event' } & TimestampedEvent)
  | { readonly tag: 'poison' | 'unknown'; readonly at: number; readonly reason: string }
);

/** `status` is the status after the event. `transition` is set if the event changed it. */
export type TraceRow = {
  readonly partition: number;
  readonly offset: number;
  readonly appended_at: number;
  readonly type: string;
  readonly verdict: 'accepted' | 'ignored' | 'poison' | 'unknown';
  readonly reason: string | null;
  readonly status: string | null;
  readonly transition: Transition | null;
  readonly actor: string | null;
  readonly attempt_id: string | null;
  readonly event_id: string | null;
  /** Ms since the epoch, by the clock of the process that appended the record. */
  readonly occurred_at: number | null;
  readonly causation_id: string | null;
  readonly correlation_id: string | null;
  /** Details of the event, for example why it failed or the number of finished frames. */
  readonly detail: string | null;
};

/** `accepted`, or `ignored: already_prepared`. */
export const verdictText = ({ verdict, reason }: Pick<TraceRow, 'verdict' | 'reason'>): string =>
  reason === null ? verdict : `${verdict}: ${reason}`;

export type Trace = {
  readonly rows: readonly TraceRow[];
  readonly render: Render | null;
  /** The name's hash, if the log has only the hash. Null if the log has the name itself, or if the name is erased. */
  readonly name_sha256: string | null;
  /** The sealed text of the accepted request. Null if it is not sealed or is erased. */
  readonly sealed: SealedRecord | null;
};

/** The result of the comparison, as `--json` prints it. `behind`: the read model has not folded the whole log yet. */
export type ReadModelComparison =
  | { readonly tag: 'agrees' }
  | { readonly tag: 'behind'; readonly read_to: number; readonly last_fact: number }
  | { readonly tag: 'missing' }
  | { readonly tag: 'differs'; readonly differences: readonly string[] };

/** The `meta` of an unreadable record. */
export const EMPTY_META = {
  actor: null,
  event_id: null,
  occurred_at: null,
  causation_id: null,
  correlation_id: null,
} as const;

const attemptOf = (logged: LoggedRecord): string | null =>
  logged.tag === 'event' && 'attempt_id' in logged.event ? logged.event.attempt_id : null;

const hiddenNameAfter = ({ name_sha256, sealed }: Trace, event: RenderEvent): Pick<Trace, 'name_sha256' | 'sealed'> => {
  if (event.type === 'RenderErased') return { name_sha256: null, sealed: null };
  if (event.type !== 'RenderRequested') return { name_sha256, sealed };
  return { name_sha256: event.name_sha256, sealed: sealedRequest(event) };
};

const step = (trace: Trace, logged: LoggedRecord): Trace => {
  const { partition, offset, at: appended_at } = logged;
  const place = { partition, offset, appended_at, attempt_id: attemptOf(logged) };
  const status = trace.render?.status ?? null;
  if (logged.tag !== 'event') {
    const nothing = { type: '?', transition: null, ...EMPTY_META, detail: null };
    const row: TraceRow = { ...place, ...nothing, verdict: logged.tag, reason: logged.reason, status };
    return { ...trace, rows: [...trace.rows, row] };
  }
  const { type, meta } = logged.event;
  const known = { ...place, type, ...meta, detail: eventDetail(logged.event) };
  const verdict = foldStep(trace.render, logged.event, logged.at);
  switch (verdict.tag) {
    case 'accepted': {
      const { render, transition } = verdict;
      const row: TraceRow = { ...known, verdict: 'accepted', reason: null, status: render.status, transition };
      return { rows: [...trace.rows, row], render, ...hiddenNameAfter(trace, logged.event) };
    }
    case 'ignored': {
      const row: TraceRow = { ...known, verdict: 'ignored', reason: verdict.reason, status, transition: null };
      return { ...trace, rows: [...trace.rows, row] };
    }
    case 'unknown_version': {
      const reason = `fold_version ${verdict.fold_version} is newer than this renderctl`;
      const row: TraceRow = { ...known, verdict: 'unknown', reason, status, transition: null };
      return { ...trace, rows: [...trace.rows, row] };
    }
  }
};

export const foldTrace = (events: readonly LoggedRecord[]): Trace =>
  events.reduce(step, { rows: [], render: null, name_sha256: null, sealed: null });

/** Whether the document's name matches the hash in the log; also true if the name is erased. */
const isNamedSo = ({ name_sha256 }: Trace, { name, name_salt }: RenderDocument): boolean =>
  typeof name === 'string' && typeof name_salt === 'string'
    ? nameHash({ name, salt: name_salt }) === name_sha256
    : name === null || name_sha256 === null;

/** A name of the document that is pending, lost or erased is not compared. */
const isNameOfSeal = ({ name }: RenderDocument, sealed_name: string | null): boolean =>
  sealed_name === null || (name ?? '') === '' || name === sealed_name;

const differencesOf = (trace: Trace, document: RenderDocument, sealed_name: string | null): readonly string[] => {
  const events = trace.rows.filter((row) => row.verdict === 'accepted' || row.verdict === 'ignored');
  const stored = new Map(document.facts.map((event) => [event.offset, event]));
  const accepted = events.filter((row) => row.verdict === 'accepted');
  const ignored_count = events.length - accepted.length;
  const wrongEvents = events.flatMap((row) => {
    const event = stored.get(row.offset);
    // Only a missing accepted event is a difference: the document keeps a limited number of ignored ones.
    if (event === undefined) return row.verdict === 'accepted' ? [`offset ${row.offset}: ${row.type} is missing`] : [];
    if (event.verdict !== row.verdict)
      return [`offset ${row.offset}: ${event.verdict} in the read model, ${row.verdict} in the log`];
    if (event.verdict === 'accepted' && !isDeepStrictEqual(event.transition, row.transition))
      return [`offset ${row.offset}: the transitions differ`];
    if (event.verdict === 'ignored' && event.reason !== row.reason)
      return [
        `offset ${row.offset}: the reason is "${event.reason}" in the read model, but "${row.reason}" in the log`,
      ];
    return [];
  });
  const known = new Set(events.map((row) => row.offset));
  const invented = document.facts.filter((event) => !known.has(event.offset)).map((event) => event.offset);
  return [
    ...wrongEvents,
    ...invented.map((offset) => `offset ${offset}: the log has no event of this render there`),
    ...(document.ignored_count === ignored_count
      ? []
      : [`${document.ignored_count} ignored events in the read model, ${ignored_count} in the log`]),
    ...(isDeepStrictEqual(document.render, trace.render) ? [] : ['the state of the render differs']),
    ...(isNamedSo(trace, document) ? [] : ['its name differs from the hash in the log']),
    ...(isNameOfSeal(document, sealed_name) ? [] : ['its name differs from the sealed name in the log']),
  ];
};

/** @param sealed_name the name in the log; null if the log has no sealed name, or if its key cannot be read */
export const compareWithDocument = (
  trace: Trace,
  document: RenderDocument | null,
  sealed_name: string | null = null,
): ReadModelComparison => {
  const last_fact = trace.rows.findLast((row) => row.verdict === 'accepted' || row.verdict === 'ignored')?.offset;
  if (last_fact === undefined)
    return document === null
      ? { tag: 'agrees' }
      : { tag: 'differs', differences: ['the log has no event of this render'] };
  if (document === null) return { tag: 'missing' };
  if (document.offset < last_fact) return { tag: 'behind', read_to: document.offset, last_fact };
  const differences = differencesOf(trace, document, sealed_name);
  return differences.length === 0 ? { tag: 'agrees' } : { tag: 'differs', differences };
};
