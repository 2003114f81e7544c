import { stopProcesses } from './leftovers.ts';
import { findLeftovers, pidFile } from './pid-file.ts';
import { processStart } from './process-id.ts';

// node guard-main.ts PIDS-FILE DATA RUN: stops the leftovers of one run of a launcher. Another start on the same data
// may be running already. So it stops only this run's processes, and leaves the file to the next start.
const [pidsPath = '', data = '', run = ''] = process.argv.slice(2);
const { leftovers } = findLeftovers(pidFile(pidsPath).read(), processStart);
await stopProcesses(leftovers, `${data}:${run}:`);
