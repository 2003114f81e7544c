import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launcherEnvironment } from '../environment.ts';
import { openProcessGroup } from '../process/process-group.ts';
import { catchStopSignals } from '../process/stop-signals.ts';
import { SERVER_NAMES, startServers } from './servers.ts';
import { ROOT } from './tools.ts';

// node stack/servers/main.ts [--data FOLDER]: runs Kafka, the registry, the store and Azurite on free ports, without
// the service. When all are ready it prints their addresses as `export NAME='value'` lines. It runs until Ctrl-C.
const signals = catchStopSignals();
const { values } = parseArgs({ options: { data: { type: 'string', default: join(ROOT, '.local', 'servers') } } });
const say = (line: string) => process.stderr.write(`${line}\n`);

const group = await openProcessGroup({ dataDir: values.data, urgent: signals.urgent, onNotice: say });
try {
  const servers = await startServers({
    group,
    dataDir: values.data,
    env: launcherEnvironment(process.env),
    signal: signals.stop,
  });
  await Promise.all(SERVER_NAMES.map((name) => servers.ready(name)));
  for (const [name, value] of Object.entries(servers.env)) process.stdout.write(`export ${name}='${value}'\n`);
  say(`Serving until Ctrl-C; the logs are in ${group.logsDir}.`);
  await new Promise((resolve) => signals.stop.addEventListener('abort', resolve, { once: true }));
} catch (fault) {
  if (!signals.stop.aborted) say(fault instanceof Error ? fault.message : String(fault));
  process.exitCode = 1;
} finally {
  await group.stop([]);
}
