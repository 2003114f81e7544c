import type { Access } from '../../platform/access/access.ts';

/** Who asks for a render, and what they reach: a key of the API, or a person who signed in. */
export type Requester = Pick<Access, 'account_id' | 'user_id' | 'teams'> & {
  /** As it stands in the log: `key:…`, `user:…`. */
  readonly actor: string;
};
