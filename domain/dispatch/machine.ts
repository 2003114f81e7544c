const OF_MACHINE = /^wkr_([0-9a-f]{8})_/;

/** True if the id names the worker's machine: `wkr_<8 hex>_<ULID>`. Older ids, `wkr_<ULID>`, do not. */
export const namesMachine = (worker_id: string): boolean => OF_MACHINE.test(worker_id);

/** The machine of a worker. If the id names no machine, it is the worker id. */
export const machineOf = (worker_id: string): string => OF_MACHINE.exec(worker_id)?.[1] ?? worker_id;
