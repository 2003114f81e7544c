import test from 'ava';
import fc from 'fast-check';
import { type Entity, type EntityRef, projectVersionId } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent, CatalogueEventWithTexts } from '../../../domain/catalogue/events.ts';
import { fillText } from '../../../domain/catalogue/fill-text.ts';
import { PAYLOAD_RULES_VERSION } from '../../../domain/catalogue/rules.ts';
import { foldCatalogue } from '../../../projectors/catalogue/fold-batch.ts';
import { documentOfEntity, entityOfDocument } from '../../../read-models/catalogue/codec.ts';
import type { EntityDocument } from '../../../read-models/catalogue/documents.ts';
import { catalogueEntries } from '../../helpers/batch-entries.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';

const meta = metaBy('operator:test');
const PROJECTS = 2;
const MAX_VERSIONS = 3;

const payload = (path: string) => ({ path, sha256: `hash of ${path}` });
const created = (n: number): CatalogueEvent => ({
  ...{ type: 'ProjectCreated', rules: PAYLOAD_RULES_VERSION, meta, project_id: `proj_${n}`, team_id: 'team_1' },
  ...{ name: '', created_by: null, payload: payload(`proj_${n}:0`) },
});
const added = (n: number, version: number): CatalogueEvent => ({
  ...{ type: 'ProjectVersionAdded', rules: PAYLOAD_RULES_VERSION, meta, project_id: `proj_${n}`, version },
  ...{
    base_version: version - 1,
    name: '',
    document: '',
    document_sha256: '',
    payload: payload(`proj_${n}:${version}`),
  },
});
const erased = (n: number): CatalogueEvent => ({ type: 'ProjectErased', rules: 1, meta, project_id: `proj_${n}` });
const BEFORE: readonly CatalogueEvent[] = [
  { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_1', name: 'A', unlimited_credits: true },
  { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'T' },
];

const textOf = (id: string) => ({ name: `Name of ${id}`, document: `{"of":"${id}"}`, document_sha256: `sha of ${id}` });

const withText = (event: CatalogueEvent, is_pending: boolean): CatalogueEventWithTexts => {
  if (event.type !== 'ProjectCreated' && event.type !== 'ProjectVersionAdded') return event;
  if (is_pending) return { ...event, pending: 'unavailable' };
  const { name, ...document } = textOf(event.payload?.path ?? '');
  return event.type === 'ProjectCreated' ? { ...event, name, salt: 's' } : { ...event, name, ...document, salt: 's' };
};

const generation = () => {
  const documents = new Map<string, EntityDocument>();
  const pending = new Map<string, { readonly project_id: string; readonly version: number }>();
  const key = ({ kind, id }: EntityRef): string => `${kind} ${id}`;
  const find = (refs: readonly EntityRef[]): readonly Entity[] =>
    refs.flatMap((ref) => {
      const found = documents.get(key(ref));
      return found === undefined ? [] : [entityOfDocument(found)];
    });
  const one = <K extends Entity['kind']>(kind: K, id: string) =>
    find([{ kind, id }]).find((entity): entity is Extract<Entity, { kind: K }> => entity.kind === kind) ?? null;
  return {
    documents,
    pending,
    fold: (offset: number, event: CatalogueEventWithTexts): void => {
      const entries = catalogueEntries([event], offset);
      for (let loaded: readonly EntityRef[] = []; ; ) {
        const { after, missing } = foldCatalogue(loaded, find(loaded), entries);
        loaded = [...loaded, ...missing];
        if (missing.length > 0) continue;
        for (const document of after.changed) documents.set(key({ kind: document.kind, id: document._id }), document);
        for (const { kind, ids } of after.dropped) for (const id of ids) documents.delete(key({ kind, id }));
        for (const id of after.erased)
          for (const [_id, { project_id }] of pending) if (project_id === id) pending.delete(_id);
        for (const row of after.pending) pending.set(row._id, row);
        return;
      }
    },
    fillIn: (_id: string): void => {
      const row = pending.get(_id);
      if (row === undefined) return;
      pending.delete(_id);
      const [text, salted] = [textOf(_id), { ...payload(_id), salt: 's' }];
      const { project_id, version } = row;
      const filled = fillText(
        one('project', project_id),
        version === 0 ? null : one('project_version', projectVersionId(project_id, version)),
        version === 0
          ? { tag: 'name', name: text.name, payload: salted }
          : { tag: 'document', ...text, payload: salted },
      );
      for (const entity of [filled.project, filled.version]) {
        const before = entity === null ? undefined : documents.get(key(entity));
        if (entity !== null && before !== undefined)
          documents.set(key(entity), documentOfEntity(entity, before.offset));
      }
    },
  };
};

type Act =
  | { readonly tag: 'event'; readonly event: CatalogueEvent; readonly is_pending: boolean }
  | { readonly tag: 'fill'; readonly id: string };

const PROJECT = fc.nat(PROJECTS - 1);
const EVENT = fc.oneof(
  { weight: 3, arbitrary: PROJECT.map(created) },
  { weight: 6, arbitrary: fc.tuple(PROJECT, fc.integer({ min: 1, max: MAX_VERSIONS })).map(([n, v]) => added(n, v)) },
  { weight: 1, arbitrary: PROJECT.map(erased) },
);
const ACT: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ tag: fc.constant('event'), event: EVENT, is_pending: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.tuple(PROJECT, fc.nat(MAX_VERSIONS)).map(([n, v]): Act => ({ tag: 'fill', id: `proj_${n}:${v}` })),
  },
) as fc.Arbitrary<Act>;

test('late texts give the same documents as texts in time', (t) => {
  t.timeout(60_000);
  const seen = { filled: 0, erased: 0 };
  fc.assert(
    fc.property(fc.array(ACT, { minLength: 5, maxLength: 40, size: 'max' }), (acts) => {
      const [late, in_time] = [generation(), generation()];
      for (const [offset, event] of BEFORE.entries()) for (const one of [late, in_time]) one.fold(offset, event);
      for (const [n, act] of acts.entries()) {
        if (act.tag === 'fill') {
          if (late.pending.has(act.id)) seen.filled += 1;
          late.fillIn(act.id);
          continue;
        }
        late.fold(n + BEFORE.length, withText(act.event, act.is_pending));
        in_time.fold(n + BEFORE.length, withText(act.event, false));
        if (act.event.type === 'ProjectErased') seen.erased += 1;
      }
      for (const id of [...late.pending.keys()]) late.fillIn(id);
      t.deepEqual(late.documents, in_time.documents);
    }),
    { numRuns: runs(2_000), endOnFailure: true },
  );
  t.true(seen.filled > 0 && seen.erased > 0);
});
