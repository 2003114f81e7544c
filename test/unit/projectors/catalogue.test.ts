import test from 'ava';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { entitiesNamed, foldCatalogue } from '../../../projectors/catalogue/fold-batch.ts';
import { documentOfEntity, entityOfDocument } from '../../../read-models/catalogue/codec.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';

const judged = (events: readonly CatalogueEvent[], first = 0): readonly BatchEntry<CatalogueEvent>[] =>
  events.map((event, i) => ({ tag: 'event', record: recordAt(first + i, { topic: 'catalogue-events' }), event }));

test('later events of a batch see what earlier ones changed', (t) => {
  const { ignored, changed } = foldCatalogue([], judged(CATALOGUE));
  const removed = new Set(changed.map(({ kind }) => kind));
  t.deepEqual(ignored, []);
  t.true(removed.has('account') && removed.has('project') && removed.has('api_key'));
});

test('cut into single events, the catalogue is the same', (t) => {
  const once = foldCatalogue([], judged(CATALOGUE));
  const documents = new Map<string, ReturnType<typeof documentOfEntity>>();
  for (const [i, event] of CATALOGUE.entries()) {
    const entries = judged([event], i);
    const named = entitiesNamed(entries).flatMap(({ kind, id }) => documents.get(`${kind} ${id}`) ?? []);
    const { changed } = foldCatalogue(named.map(entityOfDocument), entries);
    for (const document of changed) documents.set(`${document.kind} ${document._id}`, document);
  }
  t.deepEqual(
    [...documents.values()].toSorted((a, b) => a._id.localeCompare(b._id)),
    [...once.changed].toSorted((a, b) => a._id.localeCompare(b._id)),
  );
});

test('an event that is not legal is listed with its reason', (t) => {
  const [account] = CATALOGUE;
  if (account === undefined) throw new Error('no sample');
  const { ignored } = foldCatalogue([], judged([account, account], 5));
  t.like(ignored, [{ _id: 6, type: 'AccountCreated', reason: 'already_exists' }]);
});

test('a document is the entity, with where it is listed and what changed it', (t) => {
  const { changed } = foldCatalogue([], judged(CATALOGUE));
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
