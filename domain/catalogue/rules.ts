import { userOfActor } from '../event/meta.ts';
import type { CatalogueEvent } from './events.ts';

/** What this code writes, and the newest that it can judge by (ADR 68). */
export const NEWEST_RULES = 1;

/**
 * Whether rules 1 bind an event: it says so, or nothing of its kind is older than they are. 0 is what was written before
 * there were roles, and what the service itself appends; no person did so.
 */
export const isBound = (event: CatalogueEvent): boolean => {
  switch (event.type) {
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved':
    case 'InvitationCreated':
    case 'InvitationRevoked':
    case 'InvitationAccepted':
    case 'IdentityLinked':
    case 'IdentityUnlinked':
    case 'AccountLimitSet':
      return true;
    default:
      return event.rules >= 1 || userOfActor(event.meta.actor) !== null;
  }
};

/** The id of an account, team or user that an event creates; null for all others. */
const newId = (event: CatalogueEvent): string | null => {
  switch (event.type) {
    case 'AccountCreated':
      return event.account_id;
    case 'TeamCreated':
      return event.team_id;
    case 'UserRegistered':
      return event.user_id;
    default:
      return null;
  }
};

const FIT_ID = /^[\w-]{1,100}$/;

/**
 * Whether an event creates what other ids are put together of, by an id that may hold the signs which stand
 * between them: `<team>/<user>` of one team and user would be that of another. Under rules 1 none is made.
 */
export const hasUnfitId = (event: CatalogueEvent): boolean => {
  const id = newId(event);
  return id !== null && !FIT_ID.test(id);
};

/** Whether only newer code knows how to judge it. */
export const isOfNewerRules = ({ rules }: CatalogueEvent): boolean => rules > NEWEST_RULES;
