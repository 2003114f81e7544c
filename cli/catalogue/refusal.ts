import { membershipId } from '../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';

const field = (event: CatalogueEvent, name: string): string => {
  const value = Object.entries(event).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '?';
};

const teamsOf = (event: CatalogueEvent): string =>
  event.type === 'ApiKeyIssued'
    ? event.team_ids.length === 1
      ? `team ${event.team_ids[0]}`
      : `one of the teams ${event.team_ids.join(', ')}`
    : `team ${field(event, 'team_id')}`;

const memberOf = (event: CatalogueEvent): string => `user ${field(event, 'user_id')}`;

const SENTENCES: Readonly<Record<string, (event: CatalogueEvent) => string>> = {
  already_exists: () => 'there is one with that id already; leave the id out and a fresh one is made',
  account_unknown: (event) =>
    `there is no account ${field(event, 'account_id')}; list them with "renderctl account list"`,
  team_unknown: (event) =>
    event.type === 'ApiKeyIssued' && event.team_ids.length > 1
      ? `${teamsOf(event)} does not exist; list them with "renderctl team list"`
      : `there is no ${teamsOf(event)}; list them with "renderctl team list"`,
  user_unknown: (event) => `there is no ${memberOf(event)}; list them with "renderctl user list"`,
  key_unknown: (event) => `there is no key ${field(event, 'key_id')}; list them with "renderctl key list"`,
  project_unknown: (event) =>
    `there is no project ${field(event, 'project_id')}; list them with "renderctl project list"`,
  already_granted: (event) => `the grant ${field(event, 'grant_id')} was made before; it counts once`,
  credits_not_positive: () => 'credits must be a whole number above 0',
  already_member: (event) =>
    `${memberOf(event)} is a member of ${teamsOf(event)} already; to change the role, first "renderctl member remove"`,
  not_a_member: (event) =>
    `${memberOf(event)} is not a member of ${teamsOf(event)}; list them with "renderctl member list --team ${field(event, 'team_id')}"`,
  no_teams: () => 'a key must reach at least one team; name it with --team',
  team_of_another_account: (event) =>
    `${teamsOf(event)} does not belong to account ${field(event, 'account_id')}; list them with "renderctl team list"`,
  already_revoked: (event) => `key ${field(event, 'key_id')} was revoked before`,
  base_version_outdated: (event) =>
    event.type === 'ProjectVersionAdded'
      ? `project ${event.project_id} is no longer at version ${event.base_version}: someone else added one; look at it with "renderctl project show ${event.project_id}" and import again`
      : 'someone else was first; try again',
};

/** Why the fold of the catalogue ignored an event, for a person. A reason of newer code is shown as it stands. */
export const refusalText = (event: CatalogueEvent, reason: string): string =>
  SENTENCES[reason]?.(event) ?? `${event.type} was refused: ${reason}`;

/** The entity that an event creates or changes. */
export const subjectOf = (event: CatalogueEvent): string => {
  switch (event.type) {
    case 'AccountCreated':
    case 'CreditsGranted':
      return event.account_id;
    case 'TeamCreated':
      return event.team_id;
    case 'UserRegistered':
      return event.user_id;
    case 'MemberAdded':
    case 'MemberRemoved':
      return membershipId(event.team_id, event.user_id);
    case 'ApiKeyIssued':
    case 'ApiKeyRevoked':
      return event.key_id;
    case 'ProjectCreated':
    case 'ProjectVersionAdded':
      return event.project_id;
  }
};
