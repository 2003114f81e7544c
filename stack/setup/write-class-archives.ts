/**
 * node stack/setup/write-class-archives.ts FOLDER: starts Kafka and the registry once with temporary data. Each writes
 * an archive of its loaded classes.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { launcherEnvironment, programEnvironment } from '../environment.ts';
import { freePort } from '../process/ports.ts';
import { archiveFile, type JavaServer } from '../servers/class-archives.ts';
import { kafkaServer } from '../servers/kafka.ts';
import { registryServer } from '../servers/registry.ts';
import type { Server } from '../servers/server.ts';

const LOOK_MS = 100;

const write = async (name: JavaServer, { prepare, process: spec }: Server, folder: string): Promise<void> => {
  await prepare?.();
  const child = execa(spec.command, [`-XX:ArchiveClassesAtExit=${archiveFile(name, folder)}`, ...spec.args], {
    cwd: spec.cwd,
    env: spec.env,
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: spec.ready_timeout_ms,
    // Java writes the archive when it ends, so it is not killed early.
    forceKillAfterDelay: spec.ready_timeout_ms,
  });
  let ended = false;
  void child.finally(() => {
    ended = true;
  });
  while (!ended && !(await spec.ready().catch(() => false))) await pause(LOOK_MS);
  child.kill('SIGTERM');
  const { all, shortMessage } = await child;
  if (!existsSync(archiveFile(name, folder))) throw new Error(`${name}: ${shortMessage ?? 'ended'}\n${all}`);
};

const [folder = '.'] = process.argv.slice(2);
const data = await mkdtemp(join(tmpdir(), 'class archives '));
const env = programEnvironment(launcherEnvironment(process.env));
const [port, controllerPort, registryPort] = [await freePort(), await freePort(), await freePort()];
try {
  await Promise.all([
    write('kafka', kafkaServer({ folder: join(data, 'kafka'), port, controllerPort, env }), folder),
    write('registry', registryServer({ folder: join(data, 'registry'), port: registryPort, env }), folder),
  ]);
} finally {
  await rm(data, { recursive: true, force: true });
}
