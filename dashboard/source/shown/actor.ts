/** An operator's name is unverified: the caller of renderctl chooses it. */
export const isUnverifiedActor = (actor: string): boolean => actor.startsWith('operator:');

export const actorText = (actor: string): string => (isUnverifiedActor(actor) ? `${actor} (claimed)` : actor);
