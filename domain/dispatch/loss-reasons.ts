/**
 * Why an attempt was lost. The fold keeps the reason without its detail, so dispatchers decide by the reason. An
 * unknown reason counts as the render's fault, as in older versions.
 */
export type LossReason =
  /** Heartbeats no longer show the attempt. */
  | 'crashed'
  /** A fault that the render may have caused: an exception, or a failed program. */
  | 'surroundings'
  | 'drained'
  | 'never_started'
  | 'environment'
  | 'environment_version'
  /** The store answered that the render's payload is missing or altered. */
  | 'environment_payload';

export const isEnvironmentLoss = (reason: string): boolean =>
  reason === 'environment' || reason.startsWith('environment_');

export const isCountedLoss = (reason: string): boolean =>
  reason !== 'drained' && reason !== 'never_started' && !isEnvironmentLoss(reason);
