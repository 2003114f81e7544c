import { stopProcesses } from './leftovers.ts';
import { findLeftovers, pidFile } from './pid-file.ts';
import { processStart } from './process-id.ts';

// node guard-main.ts PIDS-FILE DATA RUN: stops what one run of a launcher left. Another start on the same data may be at
// work already: only this run's processes are looked for, and the file is left to whoever comes next.
const [pidsPath = '', data = '', run = ''] = process.argv.slice(2);
const { leftovers } = findLeftovers(pidFile(pidsPath).read(), processStart);
await stopProcesses(leftovers, `${data}:${run}:`);
