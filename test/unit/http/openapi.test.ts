import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { Role } from '../../../domain/catalogue/events.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { FieldKind, FieldWidget } from '../../../domain/composition/templates.ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import { MAX_BODY_BYTES } from '../../../platform/http-server/json-body.ts';
import { BODY_BYTES, DEFAULT_ITEMS, MAX_ITEMS, MAX_SEARCH_LENGTH } from '../../../schemas/http/limits.ts';
import { OPENAPI } from '../../../schemas/http/public/document.ts';
import { DOCUMENT_EXAMPLE } from '../../../schemas/http/public/project-changes.ts';
import { ProjectListQuery } from '../../../schemas/http/public/projects.ts';
import { decodeRenderRequest } from '../../../schemas/http/public/render-request.ts';
import { RenderListQuery } from '../../../schemas/http/public/renders.ts';
import { needsKey, ROUTES } from '../../../schemas/http/routes.ts';
import { EventKind, FIELD_KINDS, FIELD_WIDGETS } from '../../../schemas/http/words.ts';
import { faultsUnder, membersOf, REQUESTS, resolved } from '../../helpers/openapi.ts';

const METHODS = ['get', 'post'];

type Operation = { readonly name: string; readonly place: readonly string[] };

const operationsIn = (section: 'paths' | 'webhooks'): readonly Operation[] =>
  membersOf([section]).flatMap((path) =>
    membersOf([section, path])
      .filter((method) => METHODS.includes(method))
      .map((method) => ({ name: `${method.toUpperCase()} ${path}`, place: [section, path, method] })),
  );

const OPERATIONS = operationsIn('paths');

const bodiesOf = ({ name, place }: Operation): readonly Operation[] => [
  ...('requestBody' in Object(resolved(place).value)
    ? [{ name: `${name} request`, place: [...place, 'requestBody'] }]
    : []),
  ...membersOf([...place, 'responses']).map((status) => ({
    name: `${name} ${status}`,
    place: resolved([...place, 'responses', status]).place,
  })),
];

const isReference = (value: unknown): value is { readonly $ref: string } => typeof Object(value).$ref === 'string';

const everyValue = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(everyValue)] : [];

test('the document is valid OpenAPI 3.1', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(OPENAPI));
  t.true(valid, JSON.stringify(errors, null, 2));
  t.is(OPENAPI.openapi.slice(0, 4), '3.1.');
});

test('exactly the routes that need a key are documented', (t) => {
  const routes = Object.entries(ROUTES)
    .filter(([path]) => needsKey(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  t.deepEqual(OPERATIONS.map(({ name }) => name).sort(), routes.sort());
});

test('every operation has its own id, summary, explained tag and path parameters', (t) => {
  const tags: readonly string[] = OPENAPI.tags.map(({ name }) => name);
  const ids = [...OPERATIONS, ...operationsIn('webhooks')].map(({ name, place }) => {
    const operation = Object(resolved(place).value);
    t.true(operation.summary.length > 0 && operation.description.length > 0, name);
    for (const tag of operation.tags ?? []) t.true(tags.includes(tag), name);
    const declared = (operation.parameters ?? []).map((_: unknown, index: number) => {
      return Object(resolved([...place, 'parameters', String(index)]).value);
    });
    const inPath = declared.filter((parameter: { in: string }) => parameter.in === 'path');
    const wanted = Array.from(name.matchAll(/\{(\w+)\}/g), ([, one]) => one);
    t.deepEqual(
      inPath.map((parameter: { name: string }) => parameter.name),
      wanted,
      name,
    );
    return operation.operationId;
  });
  t.is(new Set(ids).size, ids.length);
});

test('every reference has a target', (t) => {
  const references = everyValue(OPENAPI).filter(isReference);
  t.true(references.length > 50);
  for (const { $ref } of references) t.not(resolved($ref.replace('#/', '').split('/')).value, undefined, $ref);
});

test('every body of every operation has an example that matches', (t) => {
  let seen = 0;
  for (const { name, place } of [...OPERATIONS, ...operationsIn('webhooks')].flatMap(bodiesOf)) {
    const media = [...place, 'content', 'application/json'];
    if (resolved(media).value === undefined) continue;
    const examples = membersOf([...media, 'examples']);
    t.true(examples.length > 0, name);
    for (const example of examples) {
      const { value } = resolved([...media, 'examples', example, 'value']);
      t.deepEqual(faultsUnder([...media, 'schema'], value), [], `${name}: ${example}`);
      seen += 1;
    }
  }
  t.true(seen > 90);
});

test('every example of a parameter matches', (t) => {
  for (const name of membersOf(['components', 'parameters'])) {
    const { value } = resolved(['components', 'parameters', name]);
    if (!('example' in Object(value))) continue;
    t.deepEqual(faultsUnder(['components', 'parameters', name, 'schema'], Object(value).example), [], name);
  }
});

test('every example of a request is accepted', (t) => {
  const examples = ['paths', '/v1/renders', 'post', 'requestBody', 'content', 'application/json', 'examples'];
  for (const name of membersOf(examples)) {
    const { value } = resolved([...examples, name, 'value']);
    const { project, ...rest } = Object(value);
    const of_project = project === undefined ? rest : { ...rest, project_id: 'proj_1' };
    t.true(E.isRight(decodeRenderRequest(of_project)), name);
  }
});

test('every operation lists its errors in the common form', (t) => {
  for (const { name, place } of OPERATIONS) {
    const statuses = membersOf([...place, 'responses']);
    for (const status of ['400', '401', '429', '500', '502', '503'])
      t.true(statuses.includes(status), `${name} ${status}`);
    for (const status of statuses) {
      const response = resolved([...place, 'responses', status]).place;
      t.true(membersOf([...response, 'headers']).includes('X-Request-Id'), `${name} ${status}`);
      if (Number(status) < 400) continue;
      const { value } = resolved([...response, 'content', 'application/json', 'schema']);
      t.is(Object(value), Object(resolved(['components', 'schemas', 'Error']).value), `${name} ${status}`);
    }
  }
});

test('clients accept unlisted members in an answer, and tests do not', (t) => {
  const closed = everyValue(OPENAPI).filter((one) => Object(one).additionalProperties === false);
  t.deepEqual(closed, []);
  // Tests forbid unlisted members only in named schemas, so every body must refer to a named schema.
  for (const { name, place } of [...OPERATIONS, ...operationsIn('webhooks')].flatMap(bodiesOf)) {
    for (const media of membersOf([...place, 'content'])) {
      const schema = ['content', media, 'schema'].reduce((at, part) => Object(at)[part], resolved(place).value);
      t.true(isReference(schema), `${name} ${media}`);
    }
  }
  for (const name of membersOf(['components', 'schemas'])) {
    const schema = resolved(['components', 'schemas', name]).value;
    if (REQUESTS.includes(name) || Object(schema).properties === undefined) continue;
    const faults = faultsUnder(['components', 'schemas', name], { unlisted: 1 });
    t.true(
      faults.some((fault) => fault.includes('"additionalProperty":"unlisted"')),
      name,
    );
  }
  t.is(faultsUnder(['components', 'schemas', 'Error'], { error: 'no', code: 'not_found', more: 7 }).length, 1);
});

test('each enum is defined once, as a named schema', (t) => {
  const sets = everyValue(OPENAPI).filter((one) => Array.isArray(Object(one).enum));
  const named = Object.values(OPENAPI.components.schemas).filter((one) => 'enum' in one);
  t.deepEqual(new Set(sets), new Set<unknown>(named));
  const words = named.map((schema) => JSON.stringify(schema.enum));
  t.is(new Set(words).size, words.length);
});

test('the page prefills no Idempotency-Key, since a second try would conflict', (t) => {
  const { value } = resolved(['components', 'parameters', 'IdempotencyKey']);
  for (const member of ['example', 'examples', 'default']) {
    t.false(member in Object(value), member);
    t.false(member in Object(Object(value).schema), member);
  }
});

test('the texts of the document are those of the codecs', (t) => {
  t.is(FieldKind.name, `one of ${FIELD_KINDS.join(', ')}`);
  t.is(FieldWidget.name, `one of ${FIELD_WIDGETS.join(', ')}`);
  t.deepEqual(EventKind.definition.enum, EVENT_KINDS);
  t.deepEqual(resolved(['components', 'schemas', 'Role', 'enum']).value, Object.keys(Role.keys));
});

test('the bounds of the document are those of the codecs', (t) => {
  t.is(BODY_BYTES, MAX_BODY_BYTES);
  const request = (change: object) => ({ name: 'a', project_id: 'p', template_id: 't', ...change });
  const entries = (count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'x'.repeat(length)]));
  const bodies: readonly unknown[] = [
    request({}),
    ...[0, 1, LIMITS.name, LIMITS.name + 1].map((length) => request({ name: '𝒳'.repeat(length) })),
    ...[0, 1].map((length) => request({ project_id: 'p'.repeat(length) })),
    ...[0, 1].map((length) => request({ template_id: 'p'.repeat(length) })),
    ...[LIMITS.values, LIMITS.values + 1].map((count) => request({ values: entries(count, 1) })),
    ...[LIMITS.text, LIMITS.text + 1].map((length) => request({ values: entries(1, length) })),
    ...[1, true, null, 'a', [], {}].map((value) => request({ values: { a: value } })),
    ...['name', 'project_id'].map((field) => request({ [field]: undefined })),
    request({ template_id: null, values: null }),
    request({ values: [] }),
    request({ name: 1 }),
    request({ another: 'member' }),
    [],
    null,
    'text',
  ];
  for (const body of bodies) {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    const documented = faultsUnder(['components', 'schemas', 'RenderRequest'], sent).length === 0;
    t.is(documented, E.isRight(decodeRenderRequest(sent)), JSON.stringify(sent).slice(0, 200));
  }

  const asked = (query: string) => RenderListQuery.decode(new URLSearchParams(`project_id=p&${query}`));
  t.like(asked(''), { right: { limit: DEFAULT_ITEMS, order: 'desc' } });
  t.like(asked(`limit=${MAX_ITEMS + 1}`), { right: { limit: MAX_ITEMS } });
  t.true(E.isLeft(asked('limit=0')));
  t.true(E.isRight(asked(`search=${'x'.repeat(MAX_SEARCH_LENGTH)}`)));
  t.true(E.isLeft(asked(`search=${'x'.repeat(MAX_SEARCH_LENGTH + 1)}`)));
  t.true(E.isRight(ProjectListQuery.decode(new URLSearchParams())));
});

test('the document of an example is a valid project file', (t) => {
  t.true(E.isRight(decodeProjectFile(DOCUMENT_EXAMPLE)));
});
