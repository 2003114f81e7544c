/**
 * A program that does not stop within its limit (ms) ends itself. Its supervisor must wait longer before it kills the
 * program: the embedded stack (`grace_ms`), compose (`stop_grace_period`), or an orchestrator.
 */

export const STOP_DEADLINE_MS = 10_000;

/** Endpoint queues give attempts in progress five seconds and their outcomes two; then the process leaves the group. */
export const RELAY_STOP_DEADLINE_MS = 15_000;

/** After draining: time to kill the engine, append the outcomes and leave the group. */
const AFTER_DRAINING_MS = 15_000;

export const workerStopDeadlineMs = (drain_s: number): number => drain_s * 1_000 + AFTER_DRAINING_MS;
