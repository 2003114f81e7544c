import { userOfActor } from '../event/meta.ts';
import type { FoldedEvent } from './events.ts';

/** What events are written with, and judged by (ADR 68). */
export const RULES = 1;

/** What those are written with whose texts are payloads (ADR 80). They are judged as under rules 1. */
export const RULES_WITH_PAYLOADS = 2;

/**
 * What people erase their account and themselves with (ADR 85). Under older rules only operators do so. All else is judged as
 * under rules 1.
 */
export const RULES_OF_ERASURE_BY_PEOPLE = 3;

/** The newest that this code knows. */
const NEWEST_RULES = RULES_OF_ERASURE_BY_PEOPLE;

/**
 * Whether rules 1 bind an event: it says so, or nothing of its kind is older than they are. 0 is what was written before
 * there were roles, and what the service itself appends; no person did so.
 */
export const isBound = (event: FoldedEvent): boolean => {
  switch (event.type) {
    case 'AccountOwnerAdded':
    case 'AccountOwnerRemoved':
    case 'InvitationCreated':
    case 'InvitationRevoked':
    case 'InvitationAccepted':
    case 'IdentityLinked':
    case 'IdentityUnlinked':
    case 'AccountLimitSet':
    case 'ProjectErased':
    case 'AccountRetentionSet':
    case 'DeliveryRetentionSet':
    case 'DownloadNamingSet':
    case 'UserErased':
    case 'AccountErased':
      return true;
    default:
      return event.rules >= 1 || userOfActor(event.meta.actor) !== null;
  }
};

/** The id of an account, team or user that an event creates; null for all others. */
const newId = (event: FoldedEvent): string | null => {
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
export const hasUnfitId = (event: FoldedEvent): boolean => {
  const id = newId(event);
  return id !== null && !FIT_ID.test(id);
};

/** Whether only newer code knows how to judge it. */
export const isOfNewerRules = ({ rules }: FoldedEvent): boolean => rules > NEWEST_RULES;
