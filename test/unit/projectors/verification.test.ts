import test from 'ava';
import fc from 'fast-check';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { DeliveryPlanned, WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { foldCatalogue, referencedEntities } from '../../../projectors/catalogue/fold-batch.ts';
import { foldedEntity } from '../../../projectors/verification/catalogue-fold.ts';
import {
  ADDED_MEMBER_DEFAULTS,
  differenceText,
  differingMember,
  documentDifference,
} from '../../../projectors/verification/difference.ts';
import { renderDifference } from '../../../projectors/verification/render-difference.ts';
import { completeDocument, createRenderFold, type RenderFold } from '../../../projectors/verification/render-fold.ts';
import { entityDifference } from '../../../projectors/verification/verify-catalogue.ts';
import {
  type DeliveryFold,
  deliveryAfter,
  deliveryDifference,
} from '../../../projectors/verification/verify-deliveries.ts';
import { entityOfDocument } from '../../../read-models/catalogue/codec.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { MONGODB_FORM } from '../../../read-models/embedded/document-form.ts';
import { nameHash } from '../../../schemas/blobs/salted-name.ts';
import { batchEntries, catalogueEntries } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { assigned, completed, finished, metaBy, prepared, requested } from '../../helpers/render-events.ts';
import { interleaved } from '../../helpers/render-log.ts';

const TAMPERED = 100;

const RENDERS = Array.from({ length: 12 }, (_, i) => `rend_${i}`);

const folded = (events: readonly RenderEvent[] = interleaved(RENDERS)): RenderFold => {
  const fold = createRenderFold(2, MONGODB_FORM);
  fold.add(batchEntries(events));
  return fold;
};

type Json = Record<string, unknown>;

const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        inner === undefined ? [] : [[...path, key], ...pathsIn(inner, [...path, key])],
      )
    : [];

const otherThan = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}x`;
  return value === null ? 'x' : null;
};

const tampered = (document: object, path: readonly string[], is_removed: boolean): Json => {
  // Copies through JSON, because one object can occur in the document twice.
  const copy: Json = JSON.parse(JSON.stringify(document));
  const name = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<Json>((inner, key) => inner[key] as Json, copy);
  if (is_removed && !Array.isArray(holder)) delete holder[name];
  else holder[name] = otherThan(holder[name]);
  return copy;
};

const tampering = (documents: readonly object[]) =>
  fc
    .constantFrom(...documents)
    .chain((document) => fc.tuple(fc.constant(document), fc.constantFrom(...pathsIn(document)), fc.boolean()))
    // Older documents lack these members.
    .filter(([, path, is_removed]) => !(is_removed && ADDED_MEMBER_DEFAULTS.has(path.at(-1) ?? '')));

const found = (documents: readonly object[], t: { true: (value: boolean, message: string) => void }): void =>
  fc.assert(
    fc.property(tampering(documents), ([document, path, is_removed]) => {
      const { member } = documentDifference('here', document, tampered(document, path, is_removed)) ?? {};
      t.true(typeof member === 'string' && path.join('.').startsWith(member), `${path.join('.')}: ${member}`);
    }),
    { numRuns: TAMPERED, seed: 19 },
  );

test('each changed member of a render is found and named', (t) => {
  const documents = folded()
    .documents()
    .map((one) => completeDocument(one, null, MONGODB_FORM));
  for (const document of documents) t.is(documentDifference('here', document, structuredClone(document)), null);
  found(documents, t);
});

test('a newer member may be missing, and is compared if present', (t) => {
  const before = { render: {}, facts: [{ offset: 4, fact: { type: 'RenderRequested' } }] };
  const named = (fact: object) => ({ ...before, facts: [{ offset: 4, fact: { type: 'RenderRequested', ...fact } }] });
  const none = named({ name_sha256: null, draft: null });
  t.is(differingMember({ ...none, render: { erased_at: null } }, before), null);
  t.is(differingMember(named({ draft: false }), before), null, 'folded by an earlier projector');
  t.is(differingMember(none, named({ name_sha256: null, draft: false })), null);
  t.is(differingMember(named({ frames_cached: 30 }), before), null, 'from a worker that is newer than the projector');
  t.is(
    differingMember(named({ frames_cached: 30 }), named({ frames_cached: 31 }))?.member,
    'facts.0.fact.frames_cached',
  );
  t.deepEqual(differingMember(named({ draft: true }), before), {
    ...{ member: 'facts.0.fact.draft', log: 'true', found: 'nothing' },
  });
  t.like(differingMember(none, named({ draft: true })), { member: 'facts.0.fact.draft', found: 'true' });
  t.like(differingMember(named({ name_sha256: 'ab' }), before), { member: 'facts.0.fact.name_sha256' });
});

test('each changed member of a ledger or of statistics is found and named', (t) => {
  const fold = folded();
  found([...fold.ledger().values()], t);
  found([...fold.statistics().values()], t);
});

test('the ledger does not change when compared renders are dropped', (t) => {
  const [whole, dropping] = [folded(), folded()];
  for (const document of dropping.documents().slice(0, 5)) dropping.drop(document);
  t.deepEqual(dropping.ledger(), whole.ledger());
  t.is(dropping.documents().length, RENDERS.length - 5);
});

test('an event of a dropped render is reported as late, not as new', (t) => {
  const fold = folded();
  for (const document of fold.documents()) if (document._id === 'rend_0') fold.drop(document);
  const { late, touched } = fold.add(batchEntries([{ ...prepared, render_id: 'rend_0' }], 1_000));
  t.deepEqual(late, [{ render_id: 'rend_0', offset: 1_000 }]);
  t.deepEqual(touched, []);
});

test('a render that changed during its comparison is not dropped', (t) => {
  const fold = folded();
  const [compared] = fold.documents();
  if (compared === undefined) return t.fail();
  fold.add(batchEntries([{ ...prepared, render_id: compared._id }], 1_000));
  fold.drop(compared);
  t.is(fold.documents().find(({ _id }) => _id === compared._id)?.offset, 1_000);
});

test('names outside the log are compared by hash, missing ones with Blob', async (t) => {
  const named = { name: 'Spring sale', salt: 'ab' };
  const life = [
    requested({ name: '', name_sha256: nameHash(named) }),
    ...[prepared, assigned('att_1', 1), finished('att_1'), completed('att_1')],
  ];
  const [one] = folded(life).documents();
  if (one === undefined) return t.fail();
  const whole = completeDocument(one, named, MONGODB_FORM);
  t.is(await renderDifference('here', one, whole, MONGODB_FORM), null);
  t.is(whole.by_project?.startsWith('proj_1:'), true);
  t.like(await renderDifference('here', one, { ...whole, name: 'Another' }, MONGODB_FORM), {
    member: 'name',
    log: 'null',
  });
  const gone = completeDocument(one, null, MONGODB_FORM);
  t.is(await renderDifference('here', one, gone, MONGODB_FORM), null, 'erased, because neither side has the name');
  const payload = Buffer.from(
    JSON.stringify({ template_id: null, values: {}, name: named.name, name_salt: named.salt }),
  );
  const difference = await renderDifference('here', one, gone, MONGODB_FORM, {
    blobs: { getPayload: async () => payload },
  });
  t.like(difference, { member: 'name', found: 'null' });
  t.false(JSON.stringify(difference).includes(named.name), 'the name is not shown');
});

test('a difference names place, member and both values', (t) => {
  const member = differingMember({ render: { status: 'complete' } }, { render: { status: 'failed' } });
  t.deepEqual(member, { member: 'render.status', log: 'complete', found: 'failed' });
  if (member !== null)
    t.is(
      differenceText({ where: 'renders@3/17, render rend_1', holder: 'store', ...member }),
      'renders@3/17, render rend_1, member `render.status`: the log says complete, the store says failed',
    );
});

const catalogueDocuments = () => {
  let loaded = referencedEntities(catalogueEntries(CATALOGUE));
  for (;;) {
    const { after, missing } = foldCatalogue(loaded, [], catalogueEntries(CATALOGUE));
    if (missing.length === 0) return after.changed;
    loaded = [...loaded, ...missing];
  }
};

test('each changed entity is found, also a changed text of a version', (t) => {
  const documents = catalogueDocuments();
  for (const document of documents) {
    t.is(entityDifference('here', foldedEntity(document), structuredClone(document)), null);
    t.is(entityOfDocument(document).kind, document.kind);
  }
  found(documents, t);
  const version = documents.find((document) => document.kind === 'project_version');
  if (version?.kind !== 'project_version') return t.fail();
  const held = foldedEntity(version);
  t.is(held.document.kind === 'project_version' ? held.document.document : '', null, 'texts are not held');
  t.like(entityDifference('here', held, { ...version, document: '{}' }), { member: 'document' });
  t.like(entityDifference('here', held, { ...version, document: null }), { member: 'document', found: 'no text' });
});

const PLAN: Omit<DeliveryPlanned, 'type'> = {
  meta: metaBy('relay:relay_1'),
  delivery_id: 'hook_1',
  endpoint_id: 'whe_1',
  render_id: 'rend_1',
  team_id: 'team_1',
  seq: 6,
  event: 'render.complete',
  status_offset: 9,
  repeats: null,
};

const ATTEMPT = { n: 1, started_at: 1_000, duration_ms: 20, succeeded: true, status: 200 } as const;

const DELIVERED: readonly WebhookEvent[] = [
  { type: 'DeliveryPlanned', ...PLAN },
  { type: 'DeliveryAttempted', ...PLAN, ...ATTEMPT, body_sha256: 'ab', fault: null },
  { type: 'DeliverySucceeded', ...PLAN, attempts: 1 },
];

const STORED: WebhookDeliveryDocument = {
  ...{ _id: 'hook_1', endpoint_id: 'whe_1', team_id: 'team_1', render_id: 'rend_1', seq: 6 },
  ...{ event: 'render.complete', partition: 0, status_offset: 9, repeats: null, repeated_by: null },
  ...{ planned_at: 900, state: 'succeeded', reason: null, body: null, body_sha256: 'ab', timestamp: 900 },
  attempts: [{ ...ATTEMPT, fault: null, response: 'thanks' }],
  ...{ by_endpoint: 'whe_1/0000000000900hook_1', ended_at: 1_030 },
};

test('a delivery is compared with the log, and may expire', (t) => {
  const logged = DELIVERED.reduce<DeliveryFold | null>(deliveryAfter, null);
  if (logged === null) return t.fail();
  const now = logged.last_at;
  const differs = (change: Partial<WebhookDeliveryDocument>) =>
    deliveryDifference(0, logged, { ...STORED, ...change }, now)?.member ?? null;
  t.is(differs({}), null);
  t.is(differs({ state: 'exhausted' }), 'state');
  t.is(differs({ seq: 5 }), 'seq');
  t.is(differs({ attempts: [] }), 'attempts.0');
  t.is(differs({ attempts: [{ ...ATTEMPT, status: 500, fault: null, response: null }] }), 'attempts.0.status');
  t.is(differs({ body_sha256: 'cd' }), 'body_sha256');
  t.is(differs({ partition: 1 }), 'partition');
  t.like(deliveryDifference(0, logged, null, now), { member: null, found: 'nothing' });
  t.is(deliveryDifference(0, logged, null, SYSTEM_CLOCK.now()), null);
  const planned = deliveryAfter(null, { type: 'DeliveryPlanned', ...PLAN });
  if (planned === null) return t.fail();
  const pending: WebhookDeliveryDocument = { ...STORED, state: 'pending', attempts: [] };
  t.is(deliveryDifference(0, planned, pending, now), null);
  t.like(deliveryDifference(1, planned, pending, now), {
    ...{ where: 'deliveries/1, delivery hook_1', member: 'partition', log: '1', found: '0' },
  });
});
