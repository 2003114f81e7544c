import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { GUARDS } from '../../../schemas/http/management/contract.ts';
import { MANAGEMENT_OPENAPI } from '../../../schemas/http/management/document.ts';
import { needsFreshSignIn } from '../../../schemas/http/management/guard.ts';
import { MANAGEMENT_ROUTES } from '../../../schemas/http/routes.ts';
import { openApiOf } from '../../helpers/openapi.ts';

const { faultsUnder, membersOf, resolved } = openApiOf(MANAGEMENT_OPENAPI, []);

const OPERATIONS = Object.entries(MANAGEMENT_OPENAPI.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

test('the document of the management interface is valid OpenAPI 3.1', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(MANAGEMENT_OPENAPI));
  t.true(valid, JSON.stringify(errors, null, 2));
});

test('the document has every route of the management interface except its own', (t) => {
  const routes = Object.entries(MANAGEMENT_ROUTES)
    .filter(([path]) => path !== '/manage/v1/openapi.json')
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  t.deepEqual(OPERATIONS.map(({ name }) => name).sort(), routes.sort());
});

test('each operation has its own id and an explained tag', (t) => {
  const tags: readonly string[] = MANAGEMENT_OPENAPI.tags.map(({ name }) => name);
  for (const { name, operation } of OPERATIONS)
    t.true(
      operation.tags.every((tag) => tags.includes(tag)),
      name,
    );
  t.is(new Set(OPERATIONS.map(({ operation }) => operation.operationId)).size, OPERATIONS.length);
});

test('each operation documents the parameters of its path', (t) => {
  for (const { name, operation } of OPERATIONS) {
    const named = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
    const documented = (operation.parameters ?? []).flatMap((one) =>
      'in' in one && one.in === 'path' ? [one.name] : [],
    );
    t.deepEqual(documented, named, name);
  }
});

test('every example of a body matches its schema', (t) => {
  const bodies = OPERATIONS.flatMap(({ name, operation }) => {
    const [method = '', path = ''] = name.split(' ');
    const place = ['paths', path, method.toLowerCase()];
    const asked = operation.requestBody === undefined ? [] : [[...place, 'requestBody']];
    return [...asked, ...Object.keys(operation.responses).map((status) => [...place, 'responses', status])];
  });
  for (const place of bodies) {
    const json = [...resolved(place).place, 'content', 'application/json'];
    const examples = membersOf([...json, 'examples']);
    for (const example of examples)
      t.deepEqual(
        faultsUnder([...json, 'schema'], resolved([...json, 'examples', example, 'value']).value),
        [],
        `${place.join(' ')} ${example}`,
      );
  }
});

test('an operation documents a fresh sign-in exactly where its guard requires one', (t) => {
  const guards = new Map(Object.entries(GUARDS));
  for (const { name, operation } of OPERATIONS) {
    const guard = guards.get(name);
    t.is(/[Ww]ith a fresh sign-in/.test(operation.description), guard !== undefined && needsFreshSignIn(guard), name);
  }
});
