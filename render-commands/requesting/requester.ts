import type { Access } from '../../platform/access/access.ts';

export type Requester = Pick<Access, 'account_id' | 'user_id' | 'teams'> & {
  readonly actor: string;
};
