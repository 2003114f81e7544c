import { sequenceS } from 'fp-ts/lib/Apply.js';
import * as E from 'fp-ts/lib/Either.js';
import type { NamedBy } from '../../../domain/catalogue/events.ts';
import { MOST_TEAMS_OF_A_KEY } from '../../../domain/catalogue/limits.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import {
  type Members,
  numberMember,
  optionalTextMember,
  optionalWordMember,
  textMember,
  textsMember,
  timeMember,
  timeOrNullMember,
  wordMember,
  wordsMember,
} from '../body-member.ts';

/** Bodies of writes. On the left one line that names every member at fault. */
const all = sequenceS(E.getApplicativeValidation({ concat: (a: string, b: string) => `${a}; ${b}` }));

/** Of ids in bodies: ours are far shorter. */
export const LONGEST_ID = 128;
/** UTF-16 units of a name, which has half as many code points at most; the catalogue says what else it must be. */
export const LONGEST_NAME = 2 * LIMITS.name;

export const KEY_KINDS = ['personal', 'service'] as const;

/** How long a rotated key goes on beside the new one, at most: 90 days. */
export const LONGEST_OVERLAP_S = 90 * 86_400;

export const decodeNameRequest = (body: Members) => all({ name: textMember(body, 'name', LONGEST_NAME) });

/**
 * What confirms an erasure: the name, or the id where nobody can type the name.
 *
 * @param kind of what is erased
 */
export const decodeEraseRequest = (body: Members, kind: 'account' | 'project') =>
  all({
    name: optionalTextMember(body, 'name', LONGEST_NAME),
    id: optionalTextMember(body, `${kind}_id`, LONGEST_ID),
  });

const ROLES = ['admin', 'member'] as const;

export const decodeRoleRequest = (body: Members) => all({ role: wordMember(body, 'role', ROLES) });

export const NAMED_BY = ['name', 'id'] as const satisfies readonly NamedBy[];

export const decodeDownloadsRequest = (body: Members) => all({ named_by: wordMember(body, 'named_by', NAMED_BY) });

export const decodeUserRequest = (body: Members) => all({ user_id: textMember(body, 'user_id', LONGEST_ID) });

export const decodeMemberRequest = (body: Members) =>
  all({ user_id: textMember(body, 'user_id', LONGEST_ID), role: wordMember(body, 'role', ROLES) });

/** Of an endpoint, in UTF-16 units. */
export const LONGEST_URL = 2_048;

export const decodeEndpointRequest = (body: Members) =>
  all({ url: textMember(body, 'url', LONGEST_URL), events: wordsMember(body, 'events', EVENT_KINDS) });

export const decodeEventsRequest = (body: Members) => all({ events: wordsMember(body, 'events', EVENT_KINDS) });

export const decodeTestRequest = (body: Members) => all({ event: optionalWordMember(body, 'event', EVENT_KINDS) });

export const decodeSinceRequest = (body: Members) => all({ since: timeMember(body, 'since') });

export const decodeKeyRequest = (body: Members) =>
  all({
    name: textMember(body, 'name', LONGEST_NAME),
    kind: wordMember(body, 'kind', KEY_KINDS),
    team_ids: textsMember(body, 'team_ids', MOST_TEAMS_OF_A_KEY, LONGEST_ID),
    expires_at: timeOrNullMember(body, 'expires_at'),
  });

export const decodeRotateRequest = (body: Members) =>
  all({
    overlap_s: numberMember(body, 'overlap_s', 0, LONGEST_OVERLAP_S),
    expires_at: timeOrNullMember(body, 'expires_at'),
  });
