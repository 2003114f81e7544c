"""The system-call filter of the sandbox, by libseccomp.

  confine.py filter              writes the filter to standard output, as BPF (for bwrap --seccomp)
  confine.py run OPTIONS -- PROGRAM ARGS...
                                 for machines that forbid namespaces: limits this process, changes its user if it is
                                 root, hides the file system if the kernel can, filters its system calls, and executes
                                 the program

Options of run: --parent PID (its parent; the program ends when the parent ends), --uid N (0: keep the user),
--as BYTES, --data BYTES, --fsize BYTES, --cpu SECONDS, --nofile N, --nproc N, and any number of --read PATH and
--write PATH.
Exit code 126: the process could not be confined, 127: the program could not be started.
"""

import ctypes
import os
import resource
import signal
import sys
from errno import EACCES, ENOSYS, EPERM, EROFS

sys.path[:] = [path for path in sys.path if path.startswith("/usr/")]
import seccomp  # noqa: E402

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from landlock import restrict  # noqa: E402

CLONE_THREAD = 0x00010000
MAP_SHARED_ANONYMOUS = 0x01 | 0x20
MAP_GROWSDOWN = 0x100
PR_SET_PDEATHSIG = 1
O_TMPFILE = 0o20000000
# TIOCSTI, TIOCLINUX: inject input into another user's terminal. FIOSETOWN, SIOCSPGRP: set who gets a file's signals.
REQUESTS = [0x5412, 0x541C, 0x8901, 0x8902]
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15

# A decoder only reads its own files and computes, so it needs none of these calls. Its output stays in its folder under
# its name: an open file without a name would use space that the watch of the folder cannot see.
REFUSED = """
fork vfork
ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal
kill tkill rt_sigqueueinfo rt_tgsigqueueinfo setsid setpgid
socketpair connect bind listen accept accept4
mount umount2 pivot_root chroot unshare setns fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr
name_to_handle_at open_by_handle_at fanotify_init
symlink symlinkat link linkat mknod mknodat
unlink unlinkat rename renameat renameat2
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
setxattr lsetxattr fsetxattr setxattrat
shmget shmat shmctl msgget msgsnd semget semtimedop mq_open memfd_create memfd_secret
bpf perf_event_open userfaultfd io_setup keyctl add_key request_key
kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff acct quotactl syslog
settimeofday clock_settime adjtimex clock_adjtime stime iopl ioperm modify_ldt lookup_dcookie vhangup
""".split()
# If the kernel answers that it lacks these calls, programs continue without them.
MISSING = "clone3 openat2 io_uring_setup io_uring_enter io_uring_register".split()


def filter_of_calls(pid=None):
    """pid: id of the process, if it can see other processes."""
    calls = seccomp.SyscallFilter(seccomp.ALLOW)

    def refuse(action, name, *arguments):
        try:
            calls.add_rule(action, name, *arguments)
        except (RuntimeError, ValueError, OSError):
            pass  # this architecture has no such call

    for name in REFUSED:
        refuse(seccomp.ERRNO(EPERM), name)
    for name in MISSING:
        refuse(seccomp.ERRNO(ENOSYS), name)
    refuse(seccomp.ERRNO(EACCES), "socket")
    # A decoder may create threads, but no processes.
    refuse(seccomp.ERRNO(EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0))
    # RLIMIT_DATA does not count this memory.
    shared = seccomp.Arg(3, seccomp.MASKED_EQ, MAP_SHARED_ANONYMOUS, MAP_SHARED_ANONYMOUS)
    refuse(seccomp.ERRNO(EPERM), "mmap", shared)
    stack = seccomp.Arg(3, seccomp.MASKED_EQ, MAP_GROWSDOWN, MAP_GROWSDOWN)
    refuse(seccomp.ERRNO(EPERM), "mmap", stack)
    # With this call, the program could outlive its parent.
    other = seccomp.Arg(1, seccomp.NE, signal.SIGKILL)
    refuse(seccomp.ERRNO(EPERM), "prctl", seccomp.Arg(0, seccomp.EQ, PR_SET_PDEATHSIG), other)
    for name in "prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr migrate_pages move_pages".split():
        refuse(seccomp.ERRNO(EPERM), name, seccomp.Arg(0, seccomp.NE, 0))  # only the own process is allowed
    for name in ["setpriority", "ioprio_set"]:
        refuse(seccomp.ERRNO(EPERM), name, seccomp.Arg(1, seccomp.NE, 0))
    if pid is not None:
        refuse(seccomp.ERRNO(EPERM), "tgkill", seccomp.Arg(0, seccomp.NE, pid))
    for command in [F_SETOWN, F_SETSIG, F_SETOWN_EX]:
        refuse(seccomp.ERRNO(EPERM), "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, command))
    for name, position in [("open", 1), ("openat", 2)]:
        unnamed = seccomp.Arg(position, seccomp.MASKED_EQ, O_TMPFILE, O_TMPFILE)
        refuse(seccomp.ERRNO(EPERM), name, unnamed)
    for request in REQUESTS:
        refuse(seccomp.ERRNO(EPERM), "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, request))
    # Folders nested deeper than the limit of a path could not be removed. EROFS is harmless for a folder that exists.
    for name in ["mkdir", "mkdirat"]:
        refuse(seccomp.ERRNO(EROFS), name)
    return calls


LIMITS = {
    "--as": resource.RLIMIT_AS,
    "--data": resource.RLIMIT_DATA,
    "--fsize": resource.RLIMIT_FSIZE,
    "--cpu": resource.RLIMIT_CPU,
    "--nofile": resource.RLIMIT_NOFILE,
    "--nproc": resource.RLIMIT_NPROC,
}
STACK_BYTES = 8 * 2**20


def confine(options, reads, writes):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A stack does not count as data; without its own limit it could become as large as the memory.
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES))
    for name, limit in LIMITS.items():
        _, most = resource.getrlimit(limit)
        wanted = options[name]
        least = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(limit, (least, least))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as adjustment:
        adjustment.write("1000")
    if options["--uid"] != 0:
        os.setgroups([])
        os.setresgid(*[options["--uid"]] * 3)
        os.setresuid(*[options["--uid"]] * 3)
    restrict(reads, writes)
    # The kernel clears this setting when a process changes its user, so this call comes last.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != options["--parent"]:
        raise OSError("the process that started it has ended")
    filter_of_calls(os.getpid()).load()


def main(arguments):
    if arguments == ["filter"]:
        filter_of_calls().export_bpf(sys.stdout)
        return 0
    try:
        end = arguments.index("--")
        given = list(zip(arguments[1:end:2], arguments[2:end:2]))
        paths = {name: [path for option, path in given if option == name] for name in ("--read", "--write")}
        options = {name: int(number) for name, number in given if name not in paths}
        command = arguments[end + 1 :]
        confine(options, paths["--read"], paths["--write"])
    except (OSError, ValueError, KeyError, RuntimeError) as fault:
        print(f"confine.py: cannot confine: {fault}", file=sys.stderr)
        return 126
    try:
        os.execv(command[0], command)
    except OSError as fault:
        print(f"confine.py: {command[0]}: {fault.strerror}", file=sys.stderr)
    return 127


sys.exit(main(sys.argv[1:]))
