import { type Account, type CreditGrant, isErased, type Project, type Team } from '../domain/catalogue/entities.ts';

export type QuickstartRequest = {
  /** What the ids of all that is made end in, so that a repeat finds it: `acc_demo`, `team_demo`, … */
  readonly word: string;
  /** Of the account and the team. */
  readonly name: string;
  /** Null for what was granted before, or {@link QUICKSTART_CREDITS}. */
  readonly credits: number | 'unlimited' | null;
};

/** Enough for hundreds of short videos. */
export const QUICKSTART_CREDITS = 1_000;

export const quickstartIds = (word: string) => ({
  account_id: `acc_${word}`,
  team_id: `team_${word}`,
  project_id: `proj_${word}`,
  grant_id: `grant_${word}`,
});

/** What there is of these ids; null for what is not there. */
export type Found = {
  readonly account: Account | null;
  readonly grant: CreditGrant | null;
  readonly team: Team | null;
  readonly project: Project | null;
};

/** What is there is another thing than what is to be made: it is not touched. */
export type QuickstartConflict =
  | { readonly tag: 'erased_before'; readonly id: string }
  | { readonly tag: 'another_account'; readonly account_id: string; readonly name: string }
  | { readonly tag: 'account_has_limit'; readonly account_id: string }
  | { readonly tag: 'another_grant'; readonly account_id: string; readonly grant_id: string; readonly credits: number }
  | { readonly tag: 'team_of_another_account'; readonly team_id: string; readonly account_id: string }
  | { readonly tag: 'project_of_another_team'; readonly project_id: string; readonly team_id: string };

/** Whether credits are to be granted. An account that was made without a limit needs none, unless a number is given. */
export const isGrantMissing = ({ credits }: QuickstartRequest, { account, grant }: Found): boolean => {
  const is_unlimited = credits === 'unlimited' || (credits === null && account?.unlimited_credits === true);
  return grant === null && !is_unlimited;
};

/** The first conflict, looked for before anything is made; null where there is none. Half-made things are no conflict. */
export const conflictOf = ({ word, name, credits }: QuickstartRequest, found: Found): QuickstartConflict | null => {
  const { account_id, team_id, project_id, grant_id } = quickstartIds(word);
  const { account, grant, team, project } = found;
  // Nothing of these ids can be made again.
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
