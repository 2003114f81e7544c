import pLimit from 'p-limit';
import type { User } from '../../domain/catalogue/entities.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { ReadProfile } from '../../read-models/catalogue/profiles.ts';
import { NO_PROFILE, type Profile } from '../../schemas/blobs/payloads.ts';

/** The names and addresses of users. */
export type ProfilesOf = (user_ids: readonly string[]) => Promise<(user_id: string | null) => Profile>;

const READ_AT_ONCE = 16;
/** Pages show an ID if the profile does not come in time. */
const WITHIN_MS = 2_000;

/** A profile that the blob store does not serve is empty, because a page is useful without it. */
export const openProfilesOf = (
  read_model: Pick<CatalogueReadModel, 'entities'>,
  readProfile: ReadProfile,
): ProfilesOf => {
  const profileOf = ({ email }: User): Promise<Profile> =>
    withTimeout(
      WITHIN_MS,
      readProfile(email).catch(() => NO_PROFILE),
      () => NO_PROFILE,
    );
  return async (user_ids) => {
    const users = await read_model.entities('user', [...new Set(user_ids)]);
    const one = pLimit(READ_AT_ONCE);
    const found = await Promise.all(users.map(async (user) => [user.id, await one(() => profileOf(user))] as const));
    const by_id = new Map(found);
    return (user_id) => (user_id === null ? undefined : by_id.get(user_id)) ?? NO_PROFILE;
  };
};
