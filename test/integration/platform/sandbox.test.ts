import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { runProcess } from '../../../engine/process/run-process.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { NoSandbox, openSandbox } from '../../../platform/sandbox/open-sandbox.ts';
import type { ProcessBounds, Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { openCanaryServer } from '../../helpers/canary-server.ts';

const MIB = 2 ** 20;
const BOUNDS: ProcessBounds = { memory_bytes: 256 * MIB, file_bytes: 10 * MIB, cpu_s: 20, threads: 50 };
const IS_ROOT = process.getuid?.() === 0;

/** Prints Landlock's version, or a negative number if the kernel lacks Landlock (before 5.13) or disables it. */
const ASK_LANDLOCK = 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))';
const HAS_LANDLOCK = Number(execFileSync('/usr/bin/python3', ['-I', '-c', ASK_LANDLOCK], { encoding: 'utf8' })) > 0;

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const running =
  (sandbox: Sandbox, own: string, reads: readonly string[] = []) =>
  async (code: string, bounds: Partial<ProcessBounds> = {}, budget_ms = 20_000) => {
    const run = await runProcess(
      {
        program: '/usr/bin/python3',
        args: ['-I', '-c', code],
        ...{ reads, writes: own, bounds: { ...BOUNDS, ...bounds } },
      },
      { signal: new AbortController().signal, budget_ms, sandbox },
    );
    return E.isLeft(run) ? run.left.tag : `${run.right.stdout}${run.right.exit_code === 0 ? '' : run.right.stderr}`;
  };

const tried = (statement: string): string =>
  `import os, socket\ntry:\n    ${statement}\n    print('done')\nexcept OSError as e:\n    print('refused')\n`;

for (const mode of ['namespaces', 'filtered'] as const) {
  const opened = openSandbox({ wanted: 'preferred', mode });

  test(`${mode}: this machine supports this mode`, async (t) => {
    const sandbox = await opened;
    t.is(sandbox.mode, mode, sandbox.reason ?? '');
    t.is(sandbox.isolates, mode === 'namespaces' || HAS_LANDLOCK);
  });

  test(`${mode}: a program sees no environment, files, processes or network of the host`, async (t) => {
    const sandbox = await opened;
    const folder = await folderOf(t);
    const [own, input, secret] = [join(folder, 'own'), join(folder, 'input'), join(folder, 'secret')];
    await mkdir(own);
    await writeFile(input, 'given');
    await writeFile(secret, 'secret', { mode: 0o600 });
    process.env.SANDBOX_TEST_SECRET = 'connection string';
    const server = await openCanaryServer();
    t.teardown(server.close);
    const run = running(sandbox, own, [input]);

    t.false((await run('import os; print(dict(os.environ))')).includes('SECRET'));
    t.is(await run(`print(open(${JSON.stringify(input)}).read())`), 'given\n');
    t.is(await run(tried('open("made", "w").write("x")')), 'done\n');
    t.is(await readFile(join(own, 'made'), 'utf8'), 'x');
    const refused = [
      `open(${JSON.stringify(input)}, "w")`,
      `socket.create_connection(("127.0.0.1", ${server.port}))`,
      'socket.socket(socket.AF_UNIX)',
      'os.fork()',
      'os.posix_spawn("/bin/true", ["true"], {})',
      `os.kill(${process.pid}, 0)`,
      `open("/proc/${process.pid}/environ").read()`,
      'os.symlink("/etc/passwd", "link")',
      'os.mkfifo("pipe")',
      'os.setsid()',
      'os.memfd_create("x")',
      'os.mkdir("folder")',
      `os.sched_setaffinity(${process.pid}, {0})`,
      `__import__("resource").prlimit(${process.pid}, 7)`,
      'socket.socketpair()',
      'os.unlink("made")',
      'os.rename("made", "other")',
      'os.open(".", os.O_RDWR | os.O_TMPFILE)',
      'os.chmod(".", 0)',
      'os.setxattr("made", "user.x", b"x")',
      `if __import__("ctypes").CDLL(None).tgkill(${process.pid}, ${process.pid}, 0) != 0: raise OSError()`,
      `os.setpriority(os.PRIO_PROCESS, ${process.pid}, 19)`,
      `os.sched_setscheduler(${process.pid}, os.SCHED_IDLE, os.sched_param(0))`,
      `__import__("fcntl").fcntl(0, 8, ${process.pid})`,
      `open(${JSON.stringify(join(import.meta.dirname, 'made'))}, "w")`,
      ...(sandbox.isolates ? [`open(${JSON.stringify(secret)}).read()`] : []),
    ];
    if (mode === 'namespaces' || HAS_LANDLOCK)
      refused.push(
        'os.listdir("/proc")',
        'open("/proc/self/mem", "rb+")',
        'open("/etc/passwd").read()',
        `open(${JSON.stringify(join(import.meta.dirname, '../../../package.json'))}).read()`,
        `open(${JSON.stringify(join(tmpdir(), 'sandbox-test-left'))}, "w")`,
        'open("/dev/shm/sandbox-test-left", "w")',
        // Mapped and shared, this memory counts towards no limit.
        'open("/dev/zero", "rb+")',
      );
    for (const attempt of refused) t.is(await run(tried(attempt)), 'refused\n', attempt);
    t.is(server.connections(), 0);
    if (IS_ROOT) t.not(await run('import os; print(os.getuid())'), '0\n');
  });

  test(`${mode}: every limit is enforced`, async (t) => {
    const sandbox = await opened;
    const folder = await folderOf(t);
    const own = join(folder, 'own');
    await mkdir(own);
    const run = running(sandbox, own);
    const eat = 'x = bytearray(SIZE); print(len(x))';
    t.is(await run(eat.replace('SIZE', '50_000_000')), '50000000\n');
    t.regex(await run(eat.replace('SIZE', '500_000_000')), /MemoryError/);
    const shared =
      'import mmap\ntry:\n    mmap.mmap(-1, 500_000_000)\n    print("done")\nexcept OSError:\n    print("refused")';
    t.is(await run(shared), 'refused\n', 'shared memory does not exist, so it does not count');
    const addresses = shared.replace('500_000_000', '200 * 2**30, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ');
    t.is(await run(addresses), 'refused\n', 'page tables of unused addresses do not count');
    const stack = [
      'import ctypes, mmap, resource',
      'libc = ctypes.CDLL(None)',
      'libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]',
      'GROWSDOWN, FAILED = 0x100, 2 ** 64 - 1',
      'print(libc.mmap(None, 500_000_000, 3, 0x22 | GROWSDOWN, -1, 0) == FAILED, resource.getrlimit(resource.RLIMIT_STACK)[1])',
    ];
    t.is(await run(stack.join('\n')), `True ${8 * MIB}\n`, 'a stack does not count');
    t.regex(
      await run('f = open("large", "wb")\nfor _ in range(20): f.write(bytes(1 << 20))'),
      /too large|infrastructure/,
    );
    t.true((await stat(join(own, 'large'))).size <= 10 * MIB);
    const many =
      'import time\nfor n in range(20):\n    with open(str(n), "wb") as f: f.write(bytes(1 << 20))\ntime.sleep(15)';
    t.is(await run(many, { folder_bytes: 15 * MIB }), 'decoder_died', 'many files, each within its limit');
    t.is(await run(many), 'decoder_died', 'by default the total is the limit of one file');
    t.is(await run('while True: pass', { cpu_s: 1 }), 'decoder_died');
    t.is(await run('import time; time.sleep(60)', {}, 300), 'over_budget');
    const threads =
      'import threading, time\nmade = 0\ntry:\n    for _ in range(200):\n        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n        made += 1\nexcept RuntimeError: pass\nprint(made < 60)\n';
    t.is(await run(threads), 'True\n');
    const files =
      'files = []\ntry:\n    while True: files.append(open("/dev/null"))\nexcept OSError: print(len(files) < 1030)';
    t.is(await run(files), 'True\n');
  });

  test(`${mode}: a retried program overwrites the files of the former attempt`, async (t) => {
    const own = join(await folderOf(t), 'own');
    await mkdir(own);
    const run = running(await opened, own);
    for (const text of ['first', 'second']) t.is(await run(`open("made", "w").write("${text}")`), '');
    t.is(await readFile(join(own, 'made'), 'utf8'), 'second');
  });

  test(`${mode}: a program cannot outlive its parent`, async (t) => {
    const sandbox = await opened;
    const own = join(await folderOf(t), 'own');
    await mkdir(own);
    const PR_SET_PDEATHSIG = 1;
    t.is(await running(sandbox, own)(`import ctypes\nprint(ctypes.CDLL(None).prctl(${PR_SET_PDEATHSIG}, 0))`), '-1\n');
  });

  test(`${mode}: a stop ends all started processes at once`, async (t) => {
    const sandbox = await opened;
    const folder = await folderOf(t);
    const controller = new AbortController();
    const lines: string[] = [];
    const run = await runProcess(
      {
        ...{ program: '/usr/bin/python3', reads: [], writes: folder, bounds: BOUNDS },
        args: ['-I', '-u', '-c', 'import time\nwhile True: print("alive"); time.sleep(0.01)'],
        on_line: (line) => {
          lines.push(line);
          controller.abort();
        },
      },
      { signal: controller.signal, budget_ms: 20_000, sandbox },
    );
    t.deepEqual(run, E.left({ tag: 'cancelled' }));
    t.true(lines.length > 0);
  });
}

test.serial('without the required isolation nothing is decoded, and the error gives advice', async (t) => {
  const { PATH } = process.env;
  process.env.PATH = '/nowhere';
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  const fault = await t.throwsAsync(openSandbox({ wanted: 'required', mode: 'namespaces' }), {
    instanceOf: NoSandbox,
  });
  t.regex(fault?.message ?? '', /bubblewrap is not installed \(Debian: apt-get install bubblewrap\)/);
  t.like(await openSandbox({ wanted: 'preferred', mode: 'namespaces' }), { mode: 'none', isolates: false });
});

/** Starts programs in the sandbox, which print that they run, and waits for a kill. */
const STARTS = (mode: string, own: string, mark: string): string => `
import { openSandbox } from '${join(import.meta.dirname, '../../../platform/sandbox/open-sandbox.ts')}';
import { spawnConfined } from '${join(import.meta.dirname, '../../../platform/sandbox/spawn-confined.ts')}';
const { confine } = await openSandbox({ wanted: 'preferred', mode: '${mode}' });
const args = ['-I', '-u', '-c', 'import time; print("runs"); time.sleep(60) # ${mark}'];
const command = await confine({ program: '/usr/bin/python3', args, reads: [], writes: '${own}', bounds: ${JSON.stringify(BOUNDS)} });
for (let n = 0; n < 4; n += 1) spawnConfined(command, 'ignore').stdout.pipe(process.stdout);
process.stdout.write('starting');
setInterval(() => {}, 1000);
`;

const marked = async (mark: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(`# ${mark}`)) found.push(pid);
  }
  return found;
};

for (const mode of ['namespaces', 'filtered'])
  for (const [when, said] of [
    ['while they run', /runs/],
    ['while they start', /starting/],
  ] as const)
    test(`${mode}: programs end with a process that is killed ${when}`, async (t) => {
      const own = await folderOf(t);
      const mark = mintUlid();
      const parent = spawn(process.execPath, ['--input-type=module', '-e', STARTS(mode, own, mark)]);
      const ended = once(parent, 'exit');
      let output = '';
      parent.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (said.test(output)) parent.kill('SIGKILL');
      });
      await ended;
      const left = () => marked(mark).then((pids) => pids.filter((pid) => pid !== String(parent.pid)));
      t.teardown(async () => {
        for (const pid of await left()) process.kill(Number(pid), 'SIGKILL');
      });
      await t.notThrowsAsync(pollUntil('no process is left', async () => (await left()).length === 0));
    });

/** Executes a program with an inherited open file, as a careless supervisor does. */
const WITH_OPEN_FILE =
  'import os, sys; os.dup2(os.open(sys.argv[1], os.O_RDONLY), 200); os.execv(sys.argv[2], sys.argv[2:])';

const LOOKS = (sandbox: string, own: string): string => `
import { openSandbox } from '${join(import.meta.dirname, '../../../platform/sandbox/open-sandbox.ts')}';
import { endOf, spawnConfined } from '${join(import.meta.dirname, '../../../platform/sandbox/spawn-confined.ts')}';
import { text } from 'node:stream/consumers';
const { confine } = await openSandbox({ wanted: 'preferred', mode: '${sandbox}' });
const args = ['-I', '-c', 'import os; print(os.read(200, 100))'];
const command = await confine({ program: '/usr/bin/python3', args, reads: [], writes: '${own}', bounds: ${JSON.stringify(BOUNDS)} });
const child = spawnConfined(command, 'ignore');
console.log(...(await Promise.all([text(child.stdout), text(child.stderr), endOf(child)])));
`;

test('programs do not inherit open files of this process', async (t) => {
  const folder = await folderOf(t);
  const [secret, own] = [join(folder, 'secret'), join(folder, 'own')];
  await writeFile(secret, 'connection string');
  await mkdir(own);
  for (const mode of ['namespaces', 'filtered']) {
    const node = [process.execPath, '--input-type=module', '-e', LOOKS(mode, own)];
    const { stdout } = await execa('/usr/bin/python3', ['-I', '-c', WITH_OPEN_FILE, secret, ...node]);
    t.regex(stdout, /^b''/);
  }
});

/** Executes a program as on a kernel without Landlock. */
const WITHOUT_LANDLOCK = `
import errno, os, seccomp, sys
calls = seccomp.SyscallFilter(seccomp.ALLOW)
calls.add_rule(seccomp.ERRNO(errno.ENOSYS), "landlock_create_ruleset")
calls.load()
os.execv(sys.argv[1], sys.argv[1:])
`;

const OPENS = `
import { openSandbox } from '${join(import.meta.dirname, '../../../platform/sandbox/open-sandbox.ts')}';
const { confine, ...preferred } = await openSandbox({ wanted: 'preferred', mode: 'filtered' });
const required = await openSandbox({ wanted: 'required', mode: 'filtered' }).then(() => null, ({ message }) => message);
console.log(JSON.stringify({ preferred, required }));
`;

test('a filter without Landlock is no isolation, and is refused if isolation is required', async (t) => {
  const node = [process.execPath, '--input-type=module', '-e', OPENS];
  const { stdout } = await execa('/usr/bin/python3', ['-I', '-c', WITHOUT_LANDLOCK, ...node]);
  const { preferred, required } = JSON.parse(stdout);
  t.like(preferred, { mode: 'filtered', isolates: false });
  t.regex(preferred.reason, /^filtered: .*it can read files that everybody may read/);
  t.regex(required, /^SANDBOX=required, .*it can read files that everybody may read.*docs\/sandbox.md$/);
});

/** Drops all capabilities and privileges, applies the container's seccomp profile, and executes a program. */
const AS_IN_A_CONTAINER = `
import json, os, seccomp, sys
profile = json.load(sys.stdin)
calls = seccomp.SyscallFilter(seccomp.ALLOW)
for rule in profile["syscalls"]:
    for name in rule["names"]:
        try: calls.add_rule(seccomp.ERRNO(rule["errnoRet"]), name)
        except (RuntimeError, ValueError, OSError): pass
calls.load()
os.execv(sys.argv[1], sys.argv[1:])
`;

test('bubblewrap needs no privilege, and no call that the compose profile refuses', async (t) => {
  const profile = join(import.meta.dirname, '..', '..', '..', 'stack', 'compose', 'seccomp.json');
  const unprivileged = IS_ROOT ? ['--reuid', '61183', '--regid', '61183', '--clear-groups'] : [];
  const dropped = IS_ROOT ? ['--bounding-set=-all', '--inh-caps=-all'] : [];
  const bwrap = [
    '/usr/bin/bwrap',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-uts',
    '--hostname',
    'x',
  ];
  const { stdout } = await execa(
    '/usr/bin/setpriv',
    [
      ...[...unprivileged, ...dropped, '--no-new-privs', '--', '/usr/bin/python3', '-I', '-c', AS_IN_A_CONTAINER],
      ...[...bwrap, '--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib'],
      ...['--symlink', 'usr/lib64', '/lib64', '--remount-ro', '/', '--', '/usr/bin/echo', 'confined'],
    ],
    { inputFile: profile },
  );
  t.is(stdout, 'confined');
});
