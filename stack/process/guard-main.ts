import { stopProcesses } from './leftovers.ts';
import { findLeftovers, pidFile } from './pid-file.ts';
import { processStartId } from './process-id.ts';

// node guard-main.ts PIDS-FILE DATA RUN: stops the leftovers of one run of a launcher. The next start on the same data
// may already run, so it stops only processes of this run and keeps the file.
const [pidsPath = '', data = '', run = ''] = process.argv.slice(2);
const { leftovers } = findLeftovers(pidFile(pidsPath).read(), processStartId);
await stopProcesses(leftovers, `${data}:${run}:`);
