import { stopProcesses } from './leftovers.ts';
import { judgeLeftovers, pidFile } from './pid-file.ts';
import { startOf } from './process-id.ts';

// node guard-main.ts PIDS-FILE DATA RUN: stops what one run of a launcher left. Another start on the same data may be at
// work already: only this run's processes are looked for, and the file is left to whoever comes next.
const [pidsPath = '', data = '', run = ''] = process.argv.slice(2);
const { leftovers } = judgeLeftovers(pidFile(pidsPath).read(), startOf);
await stopProcesses(leftovers, `${data}:${run}:`);
