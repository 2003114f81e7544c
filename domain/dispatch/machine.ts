const OF_MACHINE = /^wkr_([0-9a-f]{8})_/;

/** True for `wkr_<8 hex>_<ULID>`; false for older ids, `wkr_<ULID>`. */
export const hasMachineId = (worker_id: string): boolean => OF_MACHINE.test(worker_id);

/** The worker id itself if it names no machine. */
export const machineOf = (worker_id: string): string => OF_MACHINE.exec(worker_id)?.[1] ?? worker_id;
