import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

/** Tries what a decoder never does; prints what it could do all the same. */
const ATTEMPTS = `
import os, socket, sys
def fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
def read(path):
    def attempt(): open(path).read()
    return attempt
attempts = {
    "start a process": fork,
    "open a socket": socket.socket,
    "read a file that it was not given": read(sys.argv[1]),
    "read the environment of the process that started it": read("/proc/%s/environ" % sys.argv[2]),
    "write outside its folder": lambda: open(sys.argv[1] + "-2", "w"),
}
for name, attempt in attempts.items():
    try:
        attempt()
        print(name)
    except OSError:
        pass
with open(sys.argv[3], "w") as file: file.write("x")
print("done")
`;

/** What a program in the sandbox could do that it must not; or why none could be run. Empty where all is well. */
export const sandboxFaults = async ({ confine }: Pick<Sandbox, 'confine'>): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'video-rendering-self-test-'));
  const [own, secret] = [await mkdtemp(join(folder, 'own-')), join(folder, 'secret')];
  try {
    await writeFile(secret, 'secret', { mode: 0o600 });
    const args = ['-I', '-c', ATTEMPTS, secret, String(process.pid), join(own, 'result')];
    const bounds = { memory_bytes: 2 ** 29, file_bytes: 2 ** 20, cpu_s: 10, threads: 64 };
    const child = spawnConfined(await confine({ program: PYTHON, args, reads: [], writes: own, bounds }), 'ignore');
    const timer = setTimeout(() => child.kill('SIGKILL'), TEST_MS);
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), endOf(child)]);
    clearTimeout(timer);
    const said = stdout.trim().split('\n');
    if (said.at(-1) === 'done') return said.slice(0, -1).map((name) => `it can ${name}`);
    return [stderr.trim().split('\n').at(-1) || 'a program in it ended without a word'];
  } catch (error) {
    return [messageOf(error)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
