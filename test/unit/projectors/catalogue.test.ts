import test from 'ava';
import type { Entity } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { foldCatalogue, referencedEntities } from '../../../projectors/catalogue/fold-batch.ts';
import type { AuditEntry } from '../../../read-models/audit/documents.ts';
import { documentOfEntity, entityOfDocument } from '../../../read-models/catalogue/codec.ts';
import { catalogueEntries as judged } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';

const folded = (entries: readonly BatchEntry<CatalogueEvent>[], entities: readonly Entity[] = []) => {
  let loaded = referencedEntities(entries);
  for (let round = 0; round < 5; round += 1) {
    const is_loaded = (entity: Entity) => loaded.some(({ kind, id }) => kind === entity.kind && id === entity.id);
    const { after, missing, ...end } = foldCatalogue(loaded, entities.filter(is_loaded), entries);
    if (missing.length === 0) return { ...after, ...end };
    loaded = [...loaded, ...missing];
  }
  throw new Error('it asks again and again');
};

test('later events of a batch see what earlier ones changed', (t) => {
  const { ignored, changed } = folded(judged(CATALOGUE));
  const removed = new Set(changed.map(({ kind }) => kind));
  t.deepEqual(ignored, []);
  t.true(removed.has('account') && removed.has('project') && removed.has('api_key'));
});

const byAddress = (a: { kind: string; _id: string }, b: { kind: string; _id: string }): number =>
  `${a.kind} ${a._id}`.localeCompare(`${b.kind} ${b._id}`);

test('the catalogue and its audit do not depend on batches', (t) => {
  const once = folded(judged(CATALOGUE));
  const audit: AuditEntry[] = [];
  const documents = new Map<string, ReturnType<typeof documentOfEntity>>();
  for (const [i, event] of CATALOGUE.entries()) {
    const entries = judged([event], i);
    const { changed, ...made } = folded(entries, [...documents.values()].map(entityOfDocument));
    for (const document of changed) documents.set(`${document.kind} ${document._id}`, document);
    audit.push(...made.audit);
  }
  t.deepEqual(audit, once.audit);
  t.deepEqual([...documents.values()].toSorted(byAddress), [...once.changed].toSorted(byAddress));
});

test('documents of erased projects are deleted without loading, and not written', (t) => {
  const erased: CatalogueEvent = {
    ...{ type: 'ProjectErased', rules: 1, project_id: 'proj_1' },
    meta: metaBy('operator:ops'),
  };
  const dropped = [
    { kind: 'project_version', ids: ['proj_1:1'] },
    { kind: 'project_thumbnail', ids: ['proj_1'] },
  ] as const;
  const once = folded(judged([...CATALOGUE, erased]));
  t.deepEqual(once.dropped, dropped);
  t.false(once.changed.some(({ kind }) => kind === 'project_version' || kind === 'project_thumbnail'));
  t.like(
    once.changed.find(({ kind }) => kind === 'project'),
    { name: null, search: [], by_erased: `${String(1_000 + CATALOGUE.length).padStart(13, '0')}proj_1` },
  );

  const before = folded(judged(CATALOGUE)).changed.map(entityOfDocument);
  const asked = before.filter(({ kind }) => kind !== 'project_version' && kind !== 'project_thumbnail');
  const later = folded(judged([erased], 100), asked);
  t.deepEqual(later.dropped, dropped);
});

test('an ignored event is listed with its reason', (t) => {
  const [account] = CATALOGUE;
  if (account === undefined) throw new Error('no sample');
  const { ignored } = folded(judged([account, account], 5));
  t.like(ignored, [{ _id: 6, type: 'AccountCreated', reason: 'already_exists' }]);
});

test('a document is the entity with its list position and offset', (t) => {
  const { changed } = folded(judged(CATALOGUE));
  for (const document of changed) {
    t.deepEqual(documentOfEntity(entityOfDocument(document), document.offset), document);
  }
  t.like(
    changed.find(({ kind }) => kind === 'project'),
    {
      _id: 'proj_1',
      by_team: `team_1:${String(1_000 + CATALOGUE.findIndex((e) => e.type === 'ProjectCreated')).padStart(13, '0')}proj_1`,
    },
  );
});

test('a batch ends before an event of unknown rules', (t) => {
  const [account, grant] = CATALOGUE;
  if (account === undefined || grant === undefined) throw new Error('no sample');
  const { changed, passed, stop, by_newer_code } = folded(judged([account, { ...grant, rules: 5 }], 5));
  t.like(
    { passed, stop, by_newer_code },
    { passed: 1, stop: 'catalogue-events/2/6: unknown rules 5', by_newer_code: true },
  );
  t.true(changed.every(({ offset }) => offset === 5));
});
