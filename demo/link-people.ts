import * as E from 'fp-ts/lib/Either.js';
import { linkIdentity } from '../catalogue/identities.ts';
import { addOwner } from '../catalogue/owners.ts';
import { createConnection } from '../cli/connection.ts';
import { reportOf } from '../cli/fault.ts';
import { reportLine } from '../cli/report.ts';
import { identityId } from '../platform/access/identity-id.ts';
import type { SeededEntities } from './seeded.ts';

/** The person at the embedded provider whom the demo links to its user. */
export const DEMO_PERSON = 'ada';

/** Lets Ada sign in as the demo's user, who owns its account. Idempotent. Rejects with a message of one line. */
export const linkPeople = async (
  env: Readonly<Record<string, string>>,
  { account_id, user_id }: SeededEntities,
): Promise<void> => {
  const { IDENTITY_SECRET = '', OIDC_ISSUER_URL = '' } = env;
  const identity_id = identityId(IDENTITY_SECRET, OIDC_ISSUER_URL, DEMO_PERSON);
  const servers = createConnection(env, '', new AbortController().signal);
  try {
    const linked = await servers.catalogue(async (catalogue) => {
      const owner = await addOwner(catalogue, { account_id, user_id });
      return E.isLeft(owner) ? owner : await linkIdentity(catalogue, { identity_id, user_id });
    });
    if (E.isLeft(linked)) throw new Error(reportLine(reportOf(linked.left)));
  } finally {
    await servers.close();
  }
};
