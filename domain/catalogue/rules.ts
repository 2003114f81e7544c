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

/** Whether only newer code knows how to judge it. */
export const isOfNewerRules = ({ rules }: CatalogueEvent): boolean => rules > NEWEST_RULES;
