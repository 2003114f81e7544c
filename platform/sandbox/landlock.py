"""Hides the file system from this process except the given paths, by Landlock, without namespaces or privileges.

restrict(reads, writes) returns False if the kernel lacks Landlock or forbids it; then it has changed nothing.
"""

import ctypes
import os
import stat
import struct
from errno import ENOSYS, EOPNOTSUPP, EPERM

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION = 1
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38
O_PATH = 0o10000000

# Number of rights in each version: 13 at first, then also moves between folders, truncation, and device requests.
RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
LATEST_RIGHTS = 16
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_FILE, MAKE_REG, TRUNCATE = (1 << n for n in (0, 1, 2, 3, 5, 8, 14))
READS = EXECUTE | READ_FILE | READ_DIR
WRITES = READS | WRITE_FILE | REMOVE_FILE | MAKE_REG | TRUNCATE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
# From this version on, Landlock also blocks signals to processes outside.
SCOPES_FROM, SIGNALS = 6, 2
# /dev/zero is missing, because no limit counts the memory of its shared mapping.
DEVICES = ["/dev/null", "/dev/urandom"]

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def allow(ruleset, path, rights):
    try:
        opened = os.open(path, O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= OF_FILES
        call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def restrict(reads, writes):
    try:
        version = call(CREATE_RULESET, None, 0, GET_VERSION)
    except OSError as fault:
        if fault.errno in (ENOSYS, EOPNOTSUPP, EPERM):
            return False
        raise
    known = (1 << RIGHTS_BY_VERSION.get(version, LATEST_RIGHTS)) - 1
    handled = struct.pack("=Q", known) if version < SCOPES_FROM else struct.pack("=QQQ", known, 0, SIGNALS)
    ruleset = call(CREATE_RULESET, handled, len(handled), 0)
    for paths, rights in ((reads, READS), (DEVICES, READ_FILE | WRITE_FILE), (writes, WRITES)):
        for path in paths:
            allow(ruleset, path, rights & known)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return True
