import { userOfActor } from '../event/meta.ts';
import type { CatalogueEventWithTexts } from './events.ts';

/** The rules of most new events (ADR 68). */
export const RULES_VERSION = 1;

/** The rules of events whose texts are payloads (ADR 80). Otherwise equal to rules 1. */
export const PAYLOAD_RULES_VERSION = 2;

/** Under older rules, only operators can erase accounts and users (ADR 85). Otherwise equal to rules 1. */
export const PEOPLE_ERASURE_RULES_VERSION = 3;

/** Under older rules, keys have no scopes, and no key can change a project (ADR 136). Otherwise equal to rules 2. */
export const SCOPE_RULES_VERSION = 4;

const NEWEST_RULES = SCOPE_RULES_VERSION;

/** Whether rules 1 apply to an event. Events of the service itself, and events older than rules 1, have rules 0. */
export const isAuthorizationChecked = (event: CatalogueEventWithTexts): boolean => {
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

const newId = (event: CatalogueEventWithTexts): string | null => {
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
 * True if an event creates an account, team or user whose id may contain a separator. Ids such as `<team>/<user>` would
 * be ambiguous, so rules 1 refuse such ids.
 */
export const hasInvalidId = (event: CatalogueEventWithTexts): boolean => {
  const id = newId(event);
  return id !== null && !FIT_ID.test(id);
};

export const needsNewerRules = ({ rules }: CatalogueEventWithTexts): boolean => rules > NEWEST_RULES;
