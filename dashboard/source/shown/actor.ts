/** Whether only the caller of renderctl says who it was: nothing checks the role of an operator. */
export const isClaimed = (actor: string): boolean => actor.startsWith('operator:');

export const actorText = (actor: string): string => (isClaimed(actor) ? `${actor} (claimed)` : actor);
