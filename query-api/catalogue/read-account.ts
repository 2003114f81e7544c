import * as E from 'fp-ts/lib/Either.js';
import { accountLimits } from '../../catalogue/account-limits.ts';
import { accountWithCredits } from '../../catalogue/accounts.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { accountResource } from '../../schemas/http/public/account.ts';

/** The catalogue's queries, of which the account needs itself, its ledger, its limits and its counts. */
export type AccountReadModel = CatalogueReadModel;

const RETRY_AFTER_S = 5;

/** The key was accepted, so its account exists. Only a ledger that is not folded yet is a fault that may happen. */
const faultOf = ({ tag }: CatalogueFault): ApiError => ({
  tag: 'unavailable',
  message:
    tag === 'no_ledger_yet'
      ? 'the credits are being counted from the log; try again later'
      : 'the account cannot be read; try again later',
  retry_after_s: RETRY_AFTER_S,
});

export const getAccount =
  (read_model: AccountReadModel, clock: Pick<Clock, 'now'>): AuthenticatedHandler =>
  async (_request, { account_id }) => {
    const [account, limits] = await Promise.all([
      accountWithCredits(read_model, account_id),
      accountLimits(read_model, account_id, clock.now()),
    ]);
    if (E.isLeft(account)) return E.left(faultOf(account.left));
    if (E.isLeft(limits)) return E.left(faultOf(limits.left));
    return E.right({
      status: 200,
      body: accountResource(account.right, limits.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
