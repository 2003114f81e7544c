import type { ApiClient } from './api-client.ts';

/** The service as the person who is logged in. `team_id`: the team that they chose. */
export type SessionService = { readonly client: ApiClient; readonly team_id: string | null };
