/*
 * How long the programs may take to stop, ms. They end themselves then; whatever started them has to wait longer than
 * that before it kills them: the embedded stack (`grace_ms`), compose (`stop_grace_period`), an orchestrator.
 */

export const STOP_DEADLINE_MS = 10_000;

/** Endpoint queues give attempts under way five seconds and their outcomes two, then the group is left. */
export const RELAY_STOP_DEADLINE_MS = 15_000;

/** After draining: killing the engine, last words, leaving the group. */
const AFTER_DRAINING_MS = 15_000;

/** @param drain_s `WORKER_DRAIN_S` */
export const workerStopDeadlineMs = (drain_s: number): number => drain_s * 1_000 + AFTER_DRAINING_MS;
