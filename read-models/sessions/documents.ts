import type { Profile } from '../../schemas/blobs/payloads.ts';

/** `sessions`: one signed-in browser; `_id` is the SHA-256 of its token, which is not stored. Expires. */
export type SessionDocument = {
  readonly _id: string;
  /** Names the session in lists; gives no access. */
  readonly id: string;
  /** The user, or the identity if it had no user at the sign-in. */
  readonly owner: string;
  readonly identity_id: string;
  readonly user_id: string | null;
  /** When the identity was linked to the user, ms: it may be unlinked and linked again. */
  readonly linked_at: number | null;
  readonly is_operator: boolean;
  /**
   * True if the user belonged to no account at the sign-in. Such a session does not end because the user belongs to no
   * account.
   */
  readonly is_guest: boolean;
  readonly created_at: number;
  /** At most a minute old while the session is used. */
  readonly last_used_at: number;
  readonly expires_at: number;
  /** When the person last authenticated; null if the provider did not report it. */
  readonly auth_time: number | null;
  readonly user_agent: string | null;
  /** The name and the address from the provider. Only a person without a user has it, for the user to come. */
  readonly profile?: Profile;
  /** `expires_at`, for the TTL index. */
  readonly until: Date;
};
