import * as E from 'fp-ts/lib/Either.js';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import type { Audit } from '../../read-models/audit/audit.ts';
import type { AuditEntry } from '../../read-models/audit/documents.ts';
import { type List, type PageReader, pageBody } from '../../read-models/page.ts';
import { AuditQuery, type AuditEntry as ShownEntry } from '../../schemas/http/management/reports.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import type { Route, RouteGuards } from '../access/route-guards.ts';
import { unavailableWhileBuilding } from '../answers/being-made.ts';

export type AuditRouteDependencies = {
  readonly audit: Pick<Audit, 'isFolded' | 'placed'>;
  readonly readPage: PageReader;
};

const BEING_MADE = unavailableWhileBuilding('the audit is being rebuilt from the log');

type Scope =
  | { readonly tag: 'account'; readonly account_id: string }
  | { readonly tag: 'team'; readonly team_id: string };

type Sees = (team_id: string) => boolean;

/** Hides the teams that the reader cannot see: records of API keys name all teams of the key. */
const seenIds = (ids: AuditEntry['ids'], sees: Sees): AuditEntry['ids'] =>
  Array.isArray(ids.team_ids) ? { ...ids, team_ids: ids.team_ids.filter(sees) } : ids;

const shownEntry = (entry: AuditEntry, sees: Sees): ShownEntry => {
  const { at, actor, kind, refused, account_id, details, topic, partition, offset, event_id } = entry;
  const team_ids = entry.team_ids.filter(sees);
  return {
    ...{ at, actor, kind, refused, account_id, team_ids, other_teams: entry.team_ids.length - team_ids.length },
    ...{ ids: seenIds(entry.ids, sees), details, topic, partition, offset, event_id },
  };
};

/** @param sees whether the reader has a role in a team; other teams are only counted */
const auditPage = async (
  { audit, readPage }: AuditRouteDependencies,
  query: URLSearchParams,
  scope: Scope,
  sees: Sees,
) => {
  const request = AuditQuery.decode(query);
  if (E.isLeft(request)) return E.left(invalidInput(request.left));
  if (!(await audit.isFolded())) return E.left(BEING_MADE);
  const { actor, kind, since, until } = request.right;
  const with_requests = request.right.with_renders === 'true';
  const wanted = { scope, actor, kind, with_requests, since, until };
  const list: List<AuditEntry> = {
    endpoint: scope.tag === 'team' ? 'team_audit' : 'account_audit',
    scope: scope.tag === 'team' ? scope.team_id : scope.account_id,
    status: JSON.stringify([actor, kind, with_requests, since, until]),
    areSearchable: async () => true,
    read: async (from, count) =>
      (await audit.placed(wanted, from?.position ?? null, count)).map((one) => ({ ...one, tier: 0 })),
  };
  const page = await readPage(list, withNewestFirstOrder(request.right));
  if (E.isLeft(page)) return page;
  const data = page.right.elements.map((entry) => shownEntry(entry, sees));
  return E.right({ status: 200, body: pageBody(data, page.right) });
};

export const auditRoutes = (guards: RouteGuards, parts: AuditRouteDependencies): readonly Route[] => [
  guards.forTeamAdmin('GET', '/manage/v1/teams/{team_id}/audit', ({ query }, { person, team, role }) => {
    const sees = (team_id: string): boolean => team_id === team.id || person.roles.has(team_id) || role === 'owner';
    return auditPage(parts, query, { tag: 'team', team_id: team.id }, sees);
  }),
  guards.forAccountOwner('GET', '/manage/v1/accounts/{account_id}/audit', ({ query }, { account }) =>
    auditPage(parts, query, { tag: 'account', account_id: account.id }, () => true),
  ),
];
