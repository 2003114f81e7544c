import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueCommand } from '../domain/catalogue/commands.ts';
import { outputsDeletedUntil, RETENTION_KINDS, type RetentionKind } from '../domain/catalogue/retention.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import type { RetentionView } from './answers.ts';
import { type CatalogueWriter, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';

export const accountRetention = async (
  read_model: CatalogueReadModel,
  account_id: string,
  now: number,
): Promise<E.Either<CatalogueFault, readonly RetentionView[]>> => {
  const account = await accountById(read_model, account_id);
  if (E.isLeft(account)) return account;
  const retention = await read_model.find('account_retention', account_id);
  return E.right(
    RETENTION_KINDS.map((what) => ({
      ...{ what, days: retention?.[what] ?? null },
      ...(what === 'outputs' && { gone_until: outputsDeletedUntil(retention, now) }),
    })),
  );
};

export type NewRetention = {
  readonly account_id: string;
  readonly what: RetentionKind;
  readonly days: number | null;
};

const commandOf = ({ account_id, what, days }: NewRetention): CatalogueCommand =>
  what === 'deliveries'
    ? { type: 'SetDeliveryRetention', account_id, days }
    : { type: 'SetRetention', account_id, what, days };

/** A longer retention does not restore deleted data. */
export const setAccountRetention = async (catalogue: CatalogueWriter, retention: NewRetention) =>
  changeAndRead(catalogue, commandOf(retention), async (read_model) => {
    const all = await accountRetention(read_model, retention.account_id, catalogue.clock.now());
    return E.map((data: readonly RetentionView[]) => ({ data }))(all);
  });
