import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import { membershipId } from '../../domain/catalogue/entities.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { entityOf } from '../../read-models/catalogue/codec.ts';
import type { MembershipDocument, UserDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { memberResource, userResource } from '../../schemas/http/catalogue-resources.ts';
import { requiredParameter } from '../../schemas/http/query-parameter.ts';
import { absent, invalid } from '../absent.ts';
import type { Emails } from './emails.ts';

const headers = { 'Cache-Control': 'private, no-store' };

const collectionsOf = async (db: Db, generation: () => Promise<number>) => {
  const { entities } = catalogueCollections(await generation());
  return {
    users: db.collection<UserDocument>(entities.user),
    memberships: db.collection<MembershipDocument>(entities.membership),
  };
};

/** GET /v1/users?team_id=: the team's members, who joined first coming first. */
export const listUsers =
  (db: Db, generation: () => Promise<number>, emails: Emails): AuthenticatedHandler =>
  async ({ query }, access) => {
    const team_id = requiredParameter(query, 'team_id');
    if (E.isLeft(team_id)) return E.left(invalid(team_id.left));
    if (!access.teams.has(team_id.right)) return absent('team');
    const { users, memberships } = await collectionsOf(db, generation);
    const members = (await memberships.find({ team_id: team_id.right }, inTime()).toArray())
      .map(entityOf)
      .filter(({ removed }) => !removed)
      .sort((a, b) => a.joined_at - b.joined_at || (a.user_id < b.user_id ? -1 : 1));
    const found = await users.find({ _id: { $in: members.map(({ user_id }) => user_id) } }, inTime()).toArray();
    const byId = new Map(found.map((document) => [document._id, entityOf(document)]));
    const data = members.flatMap((membership) => {
      const user = byId.get(membership.user_id);
      return user === undefined ? [] : [{ user, membership }];
    });
    const body = {
      data: await Promise.all(
        data.map(async ({ user, membership }) => memberResource(user, await emails(user.email), membership)),
      ),
    };
    return E.right({ status: 200, body, headers });
  };

/** GET /v1/users/{id}: somebody who is in a team that the key reaches. */
export const getUser =
  (db: Db, generation: () => Promise<number>, emails: Emails): AuthenticatedHandler =>
  async ({ params }, access) => {
    const id = params.id ?? '';
    const { users, memberships } = await collectionsOf(db, generation);
    const shared = [...access.teams.keys()].map((team_id) => membershipId(team_id, id));
    const found = await memberships.find({ _id: { $in: shared } }, inTime()).toArray();
    if (found.every(({ removed }) => removed)) return absent('user');
    const user = await users.findOne({ _id: id }, inTime());
    if (user === null) return absent('user');
    return E.right({ status: 200, body: userResource(entityOf(user), await emails(user.email)), headers });
  };
