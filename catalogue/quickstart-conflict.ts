import { type Account, type CreditGrant, isErased, type Project, type Team } from '../domain/catalogue/entities.ts';

export type QuickstartRequest = {
  /** The suffix of the ids of all created entities, so that a repeat finds them: `acc_demo`, `team_demo`, … */
  readonly word: string;
  readonly name: string;
  /** Null keeps the credits of an earlier quickstart; otherwise it grants {@link QUICKSTART_CREDITS}. */
  readonly credits: number | 'unlimited' | null;
};

export const QUICKSTART_CREDITS = 1_000;

export const quickstartIds = (word: string) => ({
  account_id: `acc_${word}`,
  team_id: `team_${word}`,
  project_id: `proj_${word}`,
  grant_id: `grant_${word}`,
});

export type QuickstartEntities = {
  readonly account: Account | null;
  readonly grant: CreditGrant | null;
  readonly team: Team | null;
  readonly project: Project | null;
};

/** An entity with this id differs from the wanted one, so the quickstart does not change it. */
export type QuickstartConflict =
  | { readonly tag: 'erased_before'; readonly id: string }
  | { readonly tag: 'another_account'; readonly account_id: string; readonly name: string }
  | { readonly tag: 'account_has_limit'; readonly account_id: string }
  | { readonly tag: 'another_grant'; readonly account_id: string; readonly grant_id: string; readonly credits: number }
  | { readonly tag: 'team_of_another_account'; readonly team_id: string; readonly account_id: string }
  | { readonly tag: 'project_of_another_team'; readonly project_id: string; readonly team_id: string };

/**
 * False if the grant exists. Also false if unlimited credits are requested, or if no number is requested and the
 * account has unlimited credits.
 */
export const isGrantMissing = ({ credits }: QuickstartRequest, { account, grant }: QuickstartEntities): boolean => {
  const is_unlimited = credits === 'unlimited' || (credits === null && account?.unlimited_credits === true);
  return grant === null && !is_unlimited;
};

/** Checked before any entity is created. An interrupted quickstart is no conflict. */
export const quickstartConflictOf = (
  { word, name, credits }: QuickstartRequest,
  found: QuickstartEntities,
): QuickstartConflict | null => {
  const { account_id, team_id, project_id, grant_id } = quickstartIds(word);
  const { account, grant, team, project } = found;
  if (isErased(account)) return { tag: 'erased_before', id: account_id };
  if (isErased(project)) return { tag: 'erased_before', id: project_id };
  if (account !== null && account.name !== name) return { tag: 'another_account', account_id, name: account.name };
  if (account !== null && credits === 'unlimited' && !account.unlimited_credits)
    return { tag: 'account_has_limit', account_id };
  if (grant !== null && typeof credits === 'number' && grant.credits !== credits)
    return { tag: 'another_grant', account_id, grant_id, credits: grant.credits };
  if (team !== null && team.account_id !== account_id)
    return { tag: 'team_of_another_account', team_id, account_id: team.account_id };
  if (project !== null && project.team_id !== team_id)
    return { tag: 'project_of_another_team', project_id, team_id: project.team_id };
  return null;
};
