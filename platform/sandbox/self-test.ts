import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageOf } from '../logging/message-of.ts';
import type { Sandbox } from './sandbox.ts';
import { endOf, spawnConfined } from './spawn-confined.ts';
import { PYTHON } from './system-call-filter.ts';

const TEST_MS = 15_000;

const textOf = (stream: Readable | null): Promise<string> => (stream === null ? Promise.resolve('') : text(stream));

/**
 * Marks an attempt that reaches other parts of this machine. The script tries what a decoder never does, and prints
 * each success.
 */
const REACHES = '! ';
const ATTEMPTS = `
import ctypes, os, socket, sys
secret, world_readable, written, parent = sys.argv[1:]
def fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
def read(path):
    def attempt(): open(path).read()
    return attempt
def signal():
    if ctypes.CDLL(None).tgkill(int(parent), int(parent), 0) != 0: raise OSError
attempts = {
    "start a process": fork,
    "open a socket": socket.socket,
    "${REACHES}read a file that it was not given": read(secret),
    "${REACHES}read files that everybody may read": read(world_readable),
    "${REACHES}read the environment of the process that started it": read("/proc/%s/environ" % parent),
    "${REACHES}write outside its folder": lambda: open(secret + "-2", "w"),
    "${REACHES}write into files that everybody may write": lambda: open(world_readable, "r+"),
    "${REACHES}signal the process that started it": signal,
}
for name, attempt in attempts.items():
    try:
        attempt()
        print(name)
    except OSError:
        pass
with open(written, "w") as file: file.write("x")
print("done")
`;

export type SelfTest = {
  /** Why programs cannot run, or what the sandbox fails to prevent; empty if it is usable. */
  readonly faults: readonly string[];
  /** Parts of this machine, besides its own files, that a program can reach; empty if the sandbox isolates. */
  readonly reaches: readonly string[];
};

const resultOf = (outputLines: readonly string[]): SelfTest => {
  const [reaches, faults] = [true, false].map((marked) =>
    outputLines
      .filter((name) => name.startsWith(REACHES) === marked)
      .map((name) => `it can ${marked ? name.slice(REACHES.length) : name}`),
  );
  return { faults: faults ?? [], reaches: reaches ?? [] };
};

export const testSandbox = async ({ confine }: Pick<Sandbox, 'confine'>): Promise<SelfTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'video-rendering-self-test-'));
  const [own, secret, world_readable] = [
    await mkdtemp(join(folder, 'own-')),
    join(folder, 'secret'),
    join(folder, 'world_readable'),
  ];
  try {
    await chmod(folder, 0o755);
    await writeFile(secret, 'secret', { mode: 0o600 });
    await writeFile(world_readable, 'known');
    await chmod(world_readable, 0o666);
    const args = ['-I', '-c', ATTEMPTS, secret, world_readable, join(own, 'result'), String(process.pid)];
    const bounds = { memory_bytes: 2 ** 29, file_bytes: 2 ** 20, cpu_s: 10, threads: 64 };
    const child = spawnConfined(await confine({ program: PYTHON, args, reads: [], writes: own, bounds }), 'ignore');
    const timer = setTimeout(() => child.kill('SIGKILL'), TEST_MS);
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), endOf(child)]);
    clearTimeout(timer);
    const outputLines = stdout.trim().split('\n');
    if (outputLines.at(-1) === 'done') return resultOf(outputLines.slice(0, -1));
    return {
      faults: [stderr.trim().split('\n').at(-1) || 'a program in the sandbox ended without output'],
      reaches: [],
    };
  } catch (error) {
    return { faults: [messageOf(error)], reaches: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
