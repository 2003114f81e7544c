import * as E from 'fp-ts/lib/Either.js';
import type { DownloadNameSource } from '../domain/catalogue/events.ts';
import { downloadNameSourceOf } from '../domain/catalogue/retention.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import type { DownloadNamingView } from './answers.ts';
import { type CatalogueWriter, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';

export const downloadNaming = async (
  read_model: CatalogueReadModel,
  account_id: string,
): Promise<E.Either<CatalogueFault, DownloadNamingView>> => {
  const account = await accountById(read_model, account_id);
  if (E.isLeft(account)) return account;
  return E.right({ named_by: downloadNameSourceOf(await read_model.find('account_retention', account_id)) });
};

/** URLs that are already signed keep their file names. */
export const setDownloadNaming = async (catalogue: CatalogueWriter, account_id: string, named_by: DownloadNameSource) =>
  changeAndRead(catalogue, { type: 'NameDownloads', account_id, named_by }, (read_model) =>
    downloadNaming(read_model, account_id),
  );
