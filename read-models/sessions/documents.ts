/** `sessions`: one signed-in browser; `_id` is the sha256 of its token, which is not stored. Expires. */
export type SessionDocument = {
  readonly _id: string;
  /** Names the session in lists; gives no access. */
  readonly id: string;
  /** The user, or the identity if it had no user at the sign-in. */
  readonly owner: string;
  /** A keyed hash of issuer and subject. */
  readonly identity_id: string;
  /** Null if the identity was not linked. */
  readonly user_id: string | null;
  /** When the identity was linked to that user, ms, because it may be unlinked and linked again. */
  readonly linked_at: number | null;
  readonly is_operator: boolean;
  /** Whether the user belonged to no account when it began. Such a session does not end because of that. */
  readonly is_guest: boolean;
  /** Times in ms since the epoch. */
  readonly created_at: number;
  /** At most a minute old while it is used. */
  readonly last_used_at: number;
  readonly expires_at: number;
  /** When the person last authenticated with the provider; null if the provider did not say. */
  readonly auth_time: number | null;
  readonly user_agent: string | null;
  /** `expires_at`, for the TTL index. */
  readonly until: Date;
};
