/**
 * Tells the renders of an account in one process which parts the others encode. Renders of a version that begin together lack the
 * same parts. What is told is a hint, as with `Helpers`: a part counts once it was fetched from the cache and checked.
 */
export type PartClaims = {
  /** @param owner the account: no other one learns of its parts */
  readonly join: (owner: string) => Claimant;
};

/** One render among those of its account. Parts are named by their keys in the account's cache. */
export type Claimant = {
  /** Claims the parts of one run, in the order in which it encodes them. Replaces the claims of other renders on them. */
  readonly claim: (keys: readonly string[]) => void;
  /** The claim that another render has on this part, the same object for all parts of a run; null if there is none. */
  readonly claimOfAnother: (key: string) => object | null;
  /** Tells the other renders that this render's part is in the cache. */
  readonly stored: (key: string) => void;
  /** Whether another render has stored this part since this one joined. */
  readonly isStored: (key: string) => boolean;
  /** Calls back when another render has stored a part, until what it returns is called. */
  readonly onStored: (stored: () => void) => () => void;
  /** Gives up its claims, makes no others, and knows of none. */
  readonly leave: () => void;
};

type Present = { readonly there: Set<string>; readonly listeners: Set<() => void> };
type Claim = { readonly by: Present };
type Account = { readonly present: Set<Present>; readonly claims: Map<string, Claim> };

export const openPartClaims = (): PartClaims => {
  const accounts = new Map<string, Account>();

  return {
    join: (owner) => {
      const account: Account = accounts.get(owner) ?? { present: new Set(), claims: new Map() };
      accounts.set(owner, account);
      const { present, claims } = account;
      const own: Present = { there: new Set(), listeners: new Set() };
      present.add(own);
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
          for (const other of present) {
            if (other === own) continue;
            other.there.add(key);
            for (const listener of other.listeners) listener();
          }
        },
        isStored: (key) => own.there.has(key),
        onStored: (stored) => {
          own.listeners.add(stored);
          return () => own.listeners.delete(stored);
        },
        leave: () => {
          has_left = true;
          present.delete(own);
          for (const [key, { by }] of claims) if (by === own) claims.delete(key);
          if (present.size === 0) accounts.delete(owner);
        },
      };
    },
  };
};

/** A render that shares nothing. */
export const joinNobody = (): Claimant => openPartClaims().join('');
