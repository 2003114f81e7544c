import * as E from 'fp-ts/lib/Either.js';
import { storeStatedProfile } from '../../catalogue/users.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Profile } from '../../schemas/blobs/payloads.ts';

export type StoreStatedProfileDependencies = {
  readonly records: RecordLog;
  readonly read_model: CatalogueReadModel;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Never rejects: a person can sign in without a name. */
export type StoreStatedProfile = (user_id: string, stated: Profile) => Promise<void>;

const WITHIN_MS = 3_000;

export const openStoreStatedProfile =
  ({ records, read_model, blobs, clock, logger }: StoreStatedProfileDependencies): StoreStatedProfile =>
  async (user_id, stated) => {
    if (stated.name === null && stated.email === null) return;
    const warn = (reason: unknown): void =>
      logger.warn({ user_id, reason }, 'could not store the name and the address of a person');
    const catalogue = { records, read_model, clock, actor: `user:${user_id}` };
    const stored = storeStatedProfile(catalogue, blobs, user_id, stated).then(
      (change) => (E.isLeft(change) ? warn(change.left) : undefined),
      warn,
    );
    await withTimeout(WITHIN_MS, stored, () => undefined, clock);
  };
