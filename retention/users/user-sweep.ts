import type { FoldedEmails } from '../../read-models/catalogue/user-emails.ts';
import { USERS_PATH, userOfEmailAt } from '../../schemas/blobs/paths.ts';
import { type LeftoverSweepDependencies, leftoverSweep } from '../sweeps/leftover-sweep.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type UserSweepDependencies = LeftoverSweepDependencies & {
  readonly foldedEmails: (user_ids: readonly string[]) => Promise<FoldedEmails>;
};

/** Deletes addresses that no user has: their event was never appended, or a replaced address could not be deleted. */
export const userSweep = ({ foldedEmails, ...parts }: UserSweepDependencies): Sweep =>
  leftoverSweep<string, FoldedEmails>(
    {
      ...{ name: 'users', kind: 'emails', prefix: USERS_PATH, placeOf: userOfEmailAt },
      folded: (old) => foldedEmails([...new Set(old.map(({ place }) => place))]),
      isLeftOver: ({ path, place }, { paths }) => paths.get(place) !== path,
      not_removed: 'an e-mail address that no user has cannot be removed',
    },
    parts,
  );
