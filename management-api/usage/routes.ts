import * as E from 'fp-ts/lib/Either.js';
import { newestStatementPage, statementPage } from '../../catalogue/statement-page.ts';
import { type StatementLine, signedAmount } from '../../domain/credits/statement.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { type List, pageBody } from '../../read-models/page.ts';
import { StatementLine as ShownLine, UsageQuery } from '../../schemas/http/management/reports.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { AccountHandler, Route, RouteGuards } from '../access/route-guards.ts';

const NO_GRANT = { grant_id: null, granted_by: null };
const NO_CHARGE = { render_id: null, render_name: null, project_id: null };

/** @param teams of the projects that still exist */
const shownLine = (line: StatementLine, teams: ReadonlyMap<string, string>) =>
  ShownLine.encode({
    ...{ ...NO_GRANT, ...NO_CHARGE, ...line, credits: signedAmount(line) },
    team_id: line.type === 'grant' ? null : (teams.get(line.project_id) ?? null),
  });

const teamsOf = async (
  { read_model }: Pick<RouteDependencies, 'read_model'>,
  lines: readonly StatementLine[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Set(lines.flatMap((line) => (line.type === 'grant' ? [] : [line.project_id])));
  const projects = await Promise.all([...ids].map((id) => read_model.project(id)));
  return new Map(projects.flatMap((project) => (project === null ? [] : [[project.id, project.team_id]])));
};

const listUsage =
  ({ read_model, records, readPage, clock }: RouteDependencies): AccountHandler =>
  async ({ query }, { account }) => {
    const request = UsageQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { since, until, order, ...wanted } = request.right;
    const is_newest_first = order === 'desc';
    const list: List<StatementLine> = {
      ...{
        endpoint: 'account_statement',
        scope: account.id,
        status: JSON.stringify([since, until, ...(is_newest_first ? [order] : [])]),
      },
      areSearchable: async () => true,
      read: async (from, count) => {
        const after = from?.position ?? null;
        const period = { since, until };
        const lines = is_newest_first
          ? await newestStatementPage(read_model, records, account.id, period, after, count, clock.now())
          : await statementPage(read_model, records, account.id, period, after, count);
        // This cannot happen: the guard has found the account, and accounts are never deleted.
        if (E.isLeft(lines)) return [];
        return lines.right.map(({ position, line }) => ({ position, tier: 0, element: line }));
      },
    };
    const page = await readPage(list, withNewestFirstOrder(wanted));
    if (E.isLeft(page)) return page;
    const teams = await teamsOf({ read_model }, page.right.elements);
    return E.right({
      status: 200,
      body: pageBody(
        page.right.elements.map((line) => shownLine(line, teams)),
        page.right,
      ),
    });
  };

export const usageRoutes = (guards: RouteGuards, parts: RouteDependencies): readonly Route[] => [
  guards.forAccountOwner('GET', '/manage/v1/accounts/{account_id}/usage', listUsage(parts)),
];
