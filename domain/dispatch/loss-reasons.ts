/**
 * Why an attempt was lost. The fold keeps the reason and not its detail, so the reason says all that a dispatcher must
 * know. A reason that is not known here is counted, as it always was.
 */
export type LossReason =
  /** No heartbeat shows it any more. */
  | 'crashed'
  /** A fault that the render may have caused: an exception, a program that failed. */
  | 'surroundings'
  | 'drained'
  | 'never_started'
  /** The disk, the blob store. */
  | 'environment'
  /** The worker's engine is older than the composition. */
  | 'environment_version'
  /** The store has answered: what the render is made of is not there, or was altered. */
  | 'environment_payload';

export const isEnvironmentLoss = (reason: string): boolean =>
  reason === 'environment' || reason.startsWith('environment_');

export const isCountedLoss = (reason: string): boolean =>
  reason !== 'drained' && reason !== 'never_started' && !isEnvironmentLoss(reason);
