import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { MANAGEMENT } from '../../../schemas/http/management/contract.ts';
import { contract, type ManagementOperation } from '../../../schemas/http/management/operation.ts';
import { PUBLIC } from '../../../schemas/http/public/contract.ts';
import type { PublicOperation } from '../../../schemas/http/public/operation.ts';
import { decodeShape } from '../../../schemas/http/shapes.ts';

const MANAGED: readonly (readonly [string, ManagementOperation])[] = Object.entries(MANAGEMENT);
const KEYED: readonly (readonly [string, PublicOperation])[] = Object.entries(PUBLIC);

test('every example of a request body decodes', (t) => {
  const examples = [
    ...MANAGED.flatMap(([route, { body }]) => (body === undefined ? [] : [{ route, ...body }])),
    ...KEYED.flatMap(([route, { body }]) =>
      Object.values(body?.examples ?? {}).map(([, example]) => ({ route, shape: body?.shape, example })),
    ),
  ];
  t.true(examples.length > 20);
  for (const { route, shape, example } of examples) {
    const result = shape === undefined ? E.left('it has no shape') : decodeShape(shape, example);
    t.true(E.isRight(result), `${route}: ${JSON.stringify(result)}`);
  }
});

test('a contract refuses a guard that does not fit its path', (t) => {
  const rest = { id: 'x', tag: 'x', summary: 'x', description: 'x', answers: {} };
  const wrong = () => [
    // @ts-expect-error an erasure requires a recent sign-in
    contract({ 'POST /manage/v1/teams/{team_id}/things/{id}/erase': { guard: 'team_admin', ...rest } }),
    // @ts-expect-error the path belongs to an account
    contract({ 'GET /manage/v1/accounts/{account_id}/things': { guard: 'team_member', ...rest } }),
    // @ts-expect-error the path belongs to operators
    contract({ 'GET /manage/v1/operators/things': { guard: 'signed_in', ...rest } }),
    contract({ 'GET /manage/v1/teams/{team_id}/things': { guard: 'team_member', ...rest } }),
  ];
  t.is(typeof wrong, 'function');
});
