import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import { MemberQuery, memberResource, userResource } from '../../schemas/http/public/users.ts';
import { absent, invalid } from '../absent.ts';
import type { Emails } from './emails.ts';

const headers = { 'Cache-Control': 'private, no-store' };

export const listUsers =
  (catalogue: Pick<Catalogue, 'members'>, emails: Emails): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = MemberQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    const { team_id } = request.right;
    if (!access.teams.has(team_id)) return absent('team');
    const data = (await catalogue.members(team_id)).map(async ({ user, membership }) =>
      memberResource(user, await emails(user.email), membership),
    );
    return E.right({ status: 200, body: { data: await Promise.all(data) }, headers });
  };

export const getUser =
  (catalogue: Pick<Catalogue, 'membershipsOf' | 'user'>, emails: Emails): AuthenticatedHandler =>
  async ({ params }, access) => {
    const id = params.id ?? '';
    const shared = await catalogue.membershipsOf(id, [...access.teams.keys()]);
    if (shared.every(({ removed }) => removed)) return absent('user');
    const user = await catalogue.user(id);
    if (user === null) return absent('user');
    return E.right({ status: 200, body: userResource(user, await emails(user.email)), headers });
  };
