import { userOfActor } from '../event/meta.ts';
import type { FoldedEvent } from './events.ts';

/** The rules of most new events (ADR 68). */
export const RULES = 1;

/** The rules of events whose texts are payloads (ADR 80). The fold judges them as under rules 1. */
export const RULES_WITH_PAYLOADS = 2;

/**
 * The rules of erasures by people (ADR 85). Under older rules, only operators can erase accounts and users. Otherwise
 * the fold judges these events as under rules 1.
 */
export const RULES_OF_ERASURE_BY_PEOPLE = 3;

/** The newest rules that this code knows. */
const NEWEST_RULES = RULES_OF_ERASURE_BY_PEOPLE;

/**
 * Whether authorization rules of version 1 apply to an event. They do if its `rules` is at least 1, a person acted, or its
 * type came with that version. Events from before roles existed, and events of the service itself, have version 0.
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
 * True if an event creates an account, team or user whose id may contain a separator. Composed ids such as
 * `<team>/<user>` would then be ambiguous. Rules 1 refuse such ids.
 */
export const hasUnfitId = (event: FoldedEvent): boolean => {
  const id = newId(event);
  return id !== null && !FIT_ID.test(id);
};

/** True if only newer code can judge the event. */
export const isOfNewerRules = ({ rules }: FoldedEvent): boolean => rules > NEWEST_RULES;
