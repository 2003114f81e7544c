import type { AccountUsage } from './entities.ts';
import type { LimitedResource } from './events.ts';
import type { CatalogueReason, CatalogueView } from './verdict.ts';

export const DEFAULT_LIMITS: Readonly<Record<LimitedResource, number>> = {
  keys: 500,
  endpoints: 500,
  teams: 200,
  projects: 10_000,
  members: 1_000,
  inline_projects: 100_000,
};

/**
 * The highest values that a limit can have. The one of `keys` is low: each change of a key rewrites one document with
 * the expiry times of all keys.
 */
export const MAX_LIMITS: Readonly<Record<LimitedResource, number>> = {
  keys: 5_000,
  endpoints: 10_000,
  teams: 10_000,
  projects: 1_000_000,
  members: 10_000,
  inline_projects: 10_000_000,
};

export const LIMITED_RESOURCES = ['keys', 'endpoints', 'teams', 'projects', 'members', 'inline_projects'] as const;

export const MAX_INVITATIONS = 200;
export const MAX_IDENTITIES = 10;
/** Low, because each use of a key reads all its teams. */
export const MAX_TEAMS_OF_A_KEY = 200;
/** The longest lifetime of an invitation. The fold caps later expiry times. */
export const MAX_INVITATION_MS = 7 * 86_400_000;

export const limitOf = (view: CatalogueView, account_id: string, resource: LimitedResource): number =>
  view('account_limits', account_id)?.[resource] ?? DEFAULT_LIMITS[resource];

export const emptyUsage = (account_id: string): AccountUsage => ({
  ...{ kind: 'account_usage', id: account_id },
  ...{ owners: 0, members: 0, teams: 0, projects: 0, endpoints: 0 },
  ...{ lasting_keys: 0, ending_keys: [], rotated_keys: [], invitations: [] },
});

const goingOn = (ends: readonly number[], at: number): number => ends.filter((end) => end > at).length;

export const usageAt = (usage: AccountUsage, at: number): Readonly<Record<LimitedResource, number>> => {
  const { endpoints, teams, projects, members, inline_projects = 0 } = usage;
  const keys = usage.lasting_keys + goingOn(usage.ending_keys, at);
  return { keys, endpoints, teams, projects, members, inline_projects };
};

const TOO_MANY: Readonly<Record<LimitedResource, CatalogueReason>> = {
  keys: 'too_many_keys',
  endpoints: 'too_many_endpoints_of_account',
  teams: 'too_many_teams',
  projects: 'too_many_projects',
  members: 'too_many_members',
  inline_projects: 'too_many_inline_projects',
};

export const exceededLimit = (
  view: CatalogueView,
  before: AccountUsage,
  after: AccountUsage,
  at: number,
): CatalogueReason | null => {
  const [had, has] = [usageAt(before, at), usageAt(after, at)];
  const passed = (was: number, is: number, most: () => number): boolean => is > was && is > most();
  for (const resource of LIMITED_RESOURCES)
    if (passed(had[resource], has[resource], () => limitOf(view, after.id, resource))) return TOO_MANY[resource];
  // A rotation replaces a key, so an account at its limit may rotate. Rotated keys that still work count against a
  // separate limit of the same size.
  const [rotated, rotated_now] = [goingOn(before.rotated_keys, at), goingOn(after.rotated_keys, at)];
  if (passed(rotated, rotated_now, () => limitOf(view, after.id, 'keys'))) return 'too_many_keys';
  if (passed(before.invitations.length, after.invitations.length, () => MAX_INVITATIONS)) return 'too_many_invitations';
  return null;
};
