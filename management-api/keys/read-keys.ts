import * as E from 'fp-ts/lib/Either.js';
import type { KeyView } from '../../catalogue/answers.ts';
import { listKeysOfTeam } from '../../catalogue/keys.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { listPosition } from '../../read-models/position.ts';
import { KeyListQuery } from '../../schemas/http/management/keys.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type SortableList, sortedPage } from '../lists/page-of-all.ts';
import { findTeamKey, keyResourceFor } from './seen-key.ts';

export const listTeamKeys =
  ({ read_model, readPage, clock }: RouteDependencies): TeamHandler =>
  async ({ query }, at) => {
    const request = KeyListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { state } = request.right;
    const now = clock.now();
    const list: SortableList<KeyView> = {
      ...{ endpoint: 'team_keys', scope: at.team.id, status: state },
      all: () => listKeysOfTeam(read_model, at.team.id, state === 'all' ? null : now),
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await sortedPage(readPage, query, list, (key) => keyResourceFor(at, key, now));
  };

export const getKey =
  (parts: RouteDependencies): TeamHandler =>
  async ({ params }, at) => {
    const key = await findTeamKey(parts, at, params.key_id ?? '');
    return E.isLeft(key) ? key : E.right({ status: 200, body: keyResourceFor(at, key.right, parts.clock.now()) });
  };
