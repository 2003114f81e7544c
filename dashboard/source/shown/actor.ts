/** Whether the actor is unverified: the caller of renderctl chooses the name, and the operator role is not checked. */
export const isClaimed = (actor: string): boolean => actor.startsWith('operator:');

export const actorText = (actor: string): string => (isClaimed(actor) ? `${actor} (claimed)` : actor);
