import { anyObject, named } from '../shapes.ts';

/** The body of a write that takes no members. */
export const Nothing = named('Nothing', anyObject('No members are known yet.'));
