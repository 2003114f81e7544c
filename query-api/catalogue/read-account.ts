import * as E from 'fp-ts/lib/Either.js';
import { accountLimits } from '../../catalogue/account-limits.ts';
import { accountWithCredits } from '../../catalogue/accounts.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { storedTotals } from '../../catalogue/uploads/create-upload.ts';
import { type UploadLimits, uploadUsage } from '../../domain/uploads/limits.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';
import type { StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { accountResource } from '../../schemas/http/public/account.ts';

export type AccountDependencies = {
  readonly read_model: CatalogueReadModel;
  readonly uploads: Pick<Uploads, 'totals'>;
  readonly stored_files: Pick<StoredFiles, 'bytesOf'>;
  readonly countOpenRenders: AccountRenders['countOpen'];
  readonly upload_limits: UploadLimits;
  readonly max_waiting_renders: number;
  readonly clock: Pick<Clock, 'now'>;
};

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
  (parts: AccountDependencies): AuthenticatedHandler =>
  async (_request, { account_id }) => {
    const { read_model, upload_limits, max_waiting_renders, clock } = parts;
    const [account, limits, totals, waiting] = await Promise.all([
      accountWithCredits(read_model, account_id),
      accountLimits(read_model, account_id, clock.now()),
      storedTotals(parts, account_id),
      parts.countOpenRenders(account_id, max_waiting_renders),
    ]);
    if (E.isLeft(account)) return E.left(faultOf(account.left));
    if (E.isLeft(limits)) return E.left(faultOf(limits.left));
    return E.right({
      status: 200,
      body: accountResource(account.right, limits.right, {
        uploads: { used: uploadUsage(totals), limits: upload_limits },
        waiting: { used: waiting.open, limit: max_waiting_renders },
      }),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
