import * as E from 'fp-ts/lib/Either.js';
import { auditContentOf } from '../../domain/audit/audited.ts';
import {
  type Entity,
  type EntityKind,
  type EntityRef,
  isOfKind,
  type Project,
  projectVersionId,
} from '../../domain/catalogue/entities.ts';
import { type CatalogueEventWithTexts, isCatalogueEvent } from '../../domain/catalogue/events.ts';
import { entitiesOf, evolveCatalogue } from '../../domain/catalogue/evolve.ts';
import { needsNewerRules } from '../../domain/catalogue/rules.ts';
import { distinctRefs, recordingView } from '../../domain/catalogue/view.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { type AcceptRecord, type BatchEntry, describeRecord } from '../../platform/processor/decode-batch.ts';
import { type AuditEntry, auditEntryHead } from '../../read-models/audit/documents.ts';
import { documentOfEntity } from '../../read-models/catalogue/codec.ts';
import type { CatalogueIgnoredDocument, EntityDocument } from '../../read-models/catalogue/documents.ts';
import type { PendingProjectText } from '../../read-models/pending-texts.ts';
import type { FoldResult } from '../checkpoint/projection.ts';

type Dropped = { readonly kind: EntityKind; readonly ids: readonly string[] };

/** A pending text without its times, because the fold has no clock. */
type PendingOfFold = Omit<PendingProjectText, 'since' | 'tries'>;

export type FoldedCatalogue = {
  readonly changed: readonly EntityDocument[];
  /** Deleted documents of erased projects, also those that the same batch created. */
  readonly dropped: readonly Dropped[];
  readonly ignored: readonly CatalogueIgnoredDocument[];
  readonly audit: readonly AuditEntry[];
  readonly pending: readonly PendingOfFold[];
  readonly erased: readonly string[];
};

export const acceptCatalogueEvent: AcceptRecord<CatalogueEventWithTexts> = (decoded) =>
  isCatalogueEvent(decoded) ? E.right(decoded) : E.left('wrong_topic');

export const referencedEntities = (entries: readonly BatchEntry<CatalogueEventWithTexts>[]): readonly EntityRef[] =>
  distinctRefs(entries.flatMap((entry) => (entry.tag === 'event' ? entitiesOf(entry.event) : [])));

/** Documents that are deleted with a project. They are many and large, so the fold does not load them. */
const partsOf = ({ id, version }: Project): readonly Dropped[] => [
  { kind: 'project_version', ids: Array.from({ length: version }, (_, n) => projectVersionId(id, n + 1)) },
  { kind: 'project_thumbnail', ids: [id] },
];

const pendingOf = ({ partition, offset }: LogRecord, event: CatalogueEventWithTexts): readonly PendingOfFold[] => {
  if (event.type !== 'ProjectCreated' && event.type !== 'ProjectVersionAdded') return [];
  const { project_id, payload, pending: fault } = event;
  if (payload === null || fault === undefined) return [];
  const version = event.type === 'ProjectCreated' ? 0 : event.version;
  return [{ _id: projectVersionId(project_id, version), partition, offset, project_id, version, payload, fault }];
};

/** If `missing` is not empty, the result is invalid: the caller must load these entities and fold again. */
export type FoldAttempt = FoldResult<FoldedCatalogue> & { readonly missing: readonly EntityRef[] };

/**
 * Pure. Later events see the changes of earlier ones. The fold stops before an event with rules that this code does not
 * know.
 *
 * @param loaded the entities that were looked up
 * @param before the loaded entities that exist
 */
export const foldCatalogue = (
  loaded: readonly EntityRef[],
  before: readonly Entity[],
  entries: readonly BatchEntry<CatalogueEventWithTexts>[],
): FoldAttempt => {
  const { view, put, missing } = recordingView(loaded, before);
  const changed = new Map<string, { readonly entity: Entity; readonly offset: number }>();
  const dropped: Dropped[] = [];
  const ignored: CatalogueIgnoredDocument[] = [];
  const audit: AuditEntry[] = [];
  const erased: string[] = [];
  let pending: readonly PendingOfFold[] = [];
  const ended = (passed: number, stop: string | null) => ({
    after: {
      changed: [...changed.values()].map(({ entity, offset }) => documentOfEntity(entity, offset)),
      ...{ dropped, ignored, audit, pending, erased },
    },
    ...{ passed, stop, missing: missing() },
  });

  for (const [passed, entry] of entries.entries()) {
    if (entry.tag === 'poison') continue;
    const { record, event } = entry;
    if (needsNewerRules(event))
      return { ...ended(passed, `${describeRecord(record)}: unknown rules ${event.rules}`), by_newer_code: true };
    const verdict = evolveCatalogue(view, event, record.append_time_ms);
    const changes = verdict.tag === 'accepted' ? verdict.changes : [];
    for (const entity of changes) {
      put(entity);
      changed.set(`${entity.kind} ${entity.id}`, { entity, offset: record.offset });
    }
    const { type, meta } = event;
    if (type === 'ProjectErased')
      for (const gone of changes.filter(isOfKind('project')).flatMap(partsOf)) {
        for (const id of gone.ids) changed.delete(`${gone.kind} ${id}`);
        dropped.push(gone);
      }
    if (verdict.tag === 'accepted') {
      pending = [...pending, ...pendingOf(record, event)];
      if (type === 'ProjectErased') {
        erased.push(event.project_id);
        pending = pending.filter(({ project_id }) => project_id !== event.project_id);
      }
    }
    const refused = verdict.tag === 'ignored' ? verdict.reason : null;
    if (refused !== null) ignored.push({ _id: record.offset, type, event_id: meta.event_id, reason: refused });
    audit.push({ ...auditEntryHead(record, meta), kind: type, ...auditContentOf(view, event, changes), refused });
  }
  return ended(entries.length, null);
};
