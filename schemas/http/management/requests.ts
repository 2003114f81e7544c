import { sequenceS } from 'fp-ts/lib/Apply.js';
import * as E from 'fp-ts/lib/Either.js';
import type { NamedBy } from '../../../domain/catalogue/events.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { type Members, optionalTextMember, textMember, wordMember } from '../body-member.ts';

/** Bodies of writes. On the left one line that names every member at fault. */
const all = sequenceS(E.getApplicativeValidation({ concat: (a: string, b: string) => `${a}; ${b}` }));

/** Of ids in bodies: ours are far shorter. */
export const LONGEST_ID = 128;
/** UTF-16 units of a name, which has half as many code points at most; the catalogue says what else it must be. */
export const LONGEST_NAME = 2 * LIMITS.name;

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
