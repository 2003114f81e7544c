/** `sessions`: one browser in which somebody signed in; `_id` is the sha256 of its token, which is kept nowhere. Expires. */
export type SessionDocument = {
  readonly _id: string;
  /** Names the session where it is listed; opens nothing. */
  readonly id: string;
  /** The user; where there was none at the sign-in, the identity. */
  readonly owner: string;
  /** A keyed hash of issuer and subject. */
  readonly identity_id: string;
  /** Null where the identity was linked to nobody. */
  readonly user_id: string | null;
  /** When the identity was linked to that user, ms: it may be unlinked and linked again. */
  readonly linked_at: number | null;
  readonly is_operator: boolean;
  /** Whether the user was of no account when it began. Such a session is not ended because of that. */
  readonly is_guest: boolean;
  /** Times in ms since the epoch. */
  readonly created_at: number;
  /** At most a minute old while it is used. */
  readonly last_used_at: number;
  readonly expires_at: number;
  /** When the person last showed the provider who they are; null where the provider did not say. */
  readonly auth_time: number | null;
  readonly user_agent: string | null;
  /** `expires_at`, for the store. */
  readonly until: Date;
};
