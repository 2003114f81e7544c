import * as E from 'fp-ts/lib/Either.js';
import { statementPage } from '../../catalogue/statement-page.ts';
import { type StatementLine, signedAmount } from '../../domain/credits/statement.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { type List, pageBody } from '../../read-models/page.ts';
import { StatementLine as ShownLine, UsageQuery } from '../../schemas/http/management/reports.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { AccountHandler, Route, RouteGuards } from '../access/route-guards.ts';

const NO_GRANT = { grant_id: null, granted_by: null };
const NO_CHARGE = { render_id: null, render_name: null, project_id: null };

const shownLine = (line: StatementLine) =>
  ShownLine.encode({ ...NO_GRANT, ...NO_CHARGE, ...line, credits: signedAmount(line) });

const listUsage =
  ({ read_model, records, readPage }: RouteDependencies): AccountHandler =>
  async ({ query }, { account }) => {
    const request = UsageQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const { since, until } = request.right;
    const list: List<StatementLine> = {
      ...{ endpoint: 'account_statement', scope: account.id, status: JSON.stringify([since, until]) },
      areSearchable: async () => true,
      read: async (from, count) => {
        const after = from?.position ?? null;
        const lines = await statementPage(read_model, records, account.id, { since, until }, after, count);
        // This cannot happen: the guard has found the account, and accounts are never deleted.
        if (E.isLeft(lines)) return [];
        return lines.right.map(({ position, line }) => ({ position, tier: 0, element: line }));
      },
    };
    const page = await readPage(list, withNewestFirstOrder(request.right));
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(page.right.elements.map(shownLine), page.right) });
  };

export const usageRoutes = (guards: RouteGuards, parts: RouteDependencies): readonly Route[] => [
  guards.forAccountOwner('GET', '/manage/v1/accounts/{account_id}/usage', listUsage(parts)),
];
