import type { Access } from '../../platform/access/access.ts';

/** Who requests a render, with their reach: an API key, or a person who signed in. */
export type Requester = Pick<Access, 'account_id' | 'user_id' | 'teams'> & {
  /** As the log has it: `key:…`, `user:…`. */
  readonly actor: string;
};
