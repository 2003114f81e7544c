/** An operator's name is unverified: the caller of renderctl chooses it. */
export const isClaimed = (actor: string): boolean => actor.startsWith('operator:');

export const actorText = (actor: string): string => (isClaimed(actor) ? `${actor} (claimed)` : actor);
