import type { ApiError } from '../../platform/http-server/api-error.ts';

const forbidden = (message: string): ApiError => ({ tag: 'forbidden', code: 'role_needed', message });

/**
 * Answers, by the reason for which the fold ignored the event. Resources of other accounts get 404 instead (ADR 68).
 */
export const ROLE_NEEDED = {
  operator_needed: forbidden('only operators can do this'),
  owner_needed: forbidden('only an owner of the account can do this'),
  admin_needed: forbidden('only an admin of the team or an owner of its account can do this'),
  member_needed: forbidden('only a member of the team can do this'),
  own_user_needed: forbidden('you can do this only for your own user'),
  scope_needed: forbidden('only an API key with the scope projects:write can do this'),
  actor_unfit: forbidden('you do not have permission to do this'),
};

const isOfRole = (reason: string): reason is keyof typeof ROLE_NEEDED => Object.hasOwn(ROLE_NEEDED, reason);

export const roleNeededError = (reason: string): ApiError | null => (isOfRole(reason) ? ROLE_NEEDED[reason] : null);
