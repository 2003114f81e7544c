/**
 * Renders of one project version that begin together lack the same parts. To share the work, the renders of an account
 * in one process claim parts. Claims are hints: a part counts only after it is fetched from the cache and verified.
 */
export type PartClaims = {
  /** @param owner the account; other accounts never see its parts */
  readonly join: (owner: string) => Claimant;
};

/** One render of an account. Keys are those of the account's cache. */
export type Claimant = {
  /** Claims the parts of one run, in the order of encoding. Replaces claims of other renders on them. */
  readonly claim: (keys: readonly string[]) => void;
  /** Null without a claim of another render. All parts of a run have the same claim object. */
  readonly claimOfAnother: (key: string) => object | null;
  /** Tells the other renders that this render's part is in the cache. */
  readonly stored: (key: string) => void;
  /** Whether another render has stored this part since this one joined. */
  readonly isStored: (key: string) => boolean;
  /** Calls back when another render has stored a part. The returned function unsubscribes. */
  readonly onStored: (stored: () => void) => () => void;
  /** Releases the claims. Later calls have no effect. */
  readonly leave: () => void;
};

type Member = { readonly stored_keys: Set<string>; readonly listeners: Set<() => void> };
type Claim = { readonly by: Member };
type AccountClaims = { readonly members: Set<Member>; readonly claims: Map<string, Claim> };

export const openPartClaims = (): PartClaims => {
  const accounts = new Map<string, AccountClaims>();

  return {
    join: (owner) => {
      const account: AccountClaims = accounts.get(owner) ?? { members: new Set(), claims: new Map() };
      accounts.set(owner, account);
      const { members, claims } = account;
      const own: Member = { stored_keys: new Set(), listeners: new Set() };
      members.add(own);
      let has_left = false;
      return {
        claim: (keys) => {
          if (has_left) return;
          const claim = { by: own };
          for (const key of keys) claims.set(key, claim);
        },
        claimOfAnother: (key) => {
          const claim = claims.get(key);
          return has_left || claim === undefined || claim.by === own ? null : claim;
        },
        stored: (key) => {
          for (const other of members) {
            if (other === own) continue;
            other.stored_keys.add(key);
            for (const listener of other.listeners) listener();
          }
        },
        isStored: (key) => own.stored_keys.has(key),
        onStored: (stored) => {
          own.listeners.add(stored);
          return () => own.listeners.delete(stored);
        },
        leave: () => {
          has_left = true;
          members.delete(own);
          for (const [key, { by }] of claims) if (by === own) claims.delete(key);
          if (members.size === 0) accounts.delete(owner);
        },
      };
    },
  };
};

export const createUnsharedClaimant = (): Claimant => openPartClaims().join('');
