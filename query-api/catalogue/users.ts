import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import type { ReadProfile } from '../../read-models/catalogue/profiles.ts';
import { MemberQuery, memberResource, userResource } from '../../schemas/http/public/users.ts';
import { notFoundError } from '../absent.ts';

const headers = { 'Cache-Control': 'private, no-store' };

export const listUsers =
  (catalogue: Pick<Catalogue, 'members'>, readProfile: ReadProfile): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = MemberQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { team_id } = request.right;
    if (!access.teams.has(team_id)) return notFoundError('team', 'team_id');
    const data = (await catalogue.members(team_id)).map(async ({ user, membership }) =>
      memberResource(user, (await readProfile(user.email)).email, membership),
    );
    return E.right({ status: 200, body: { data: await Promise.all(data) }, headers });
  };

export const getUser =
  (catalogue: Pick<Catalogue, 'membershipsOf' | 'user'>, readProfile: ReadProfile): AuthenticatedHandler =>
  async ({ params }, access) => {
    const id = params.id ?? '';
    const shared = await catalogue.membershipsOf(id, [...access.teams.keys()]);
    if (shared.every(({ removed }) => removed)) return notFoundError('user', 'id');
    const user = await catalogue.user(id);
    if (user === null) return notFoundError('user', 'id');
    return E.right({ status: 200, body: userResource(user, (await readProfile(user.email)).email), headers });
  };
