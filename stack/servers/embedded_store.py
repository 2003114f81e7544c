"""Runs SecantusDB, and caches the descriptions of its indexes.

SecantusDB 0.7.0b3 reads the descriptions of all indexes of a collection from its tables three times for each inserted
document, and seven times for each updated one. Each description is decoded from BSON in Python. For a collection with
ten indexes this is most of the work of a write. Descriptions change rarely, so this program keeps them in memory.

While a change of a description is under way, every read goes to the tables, as without this program. The cache is
filled only with committed descriptions. Another version of SecantusDB runs without the cache.
"""

import contextlib
import threading
from importlib.metadata import version

from secantus import storage
from secantus.cli import main

TESTED_VERSION = "0.7.0b3"
Storage = storage.Storage

# Methods that change descriptions of indexes. `_maybe_mark_multikey` changes them too.
CHANGING_METHODS = (
    "create_index",
    "drop_index",
    "drop_all_indexes",
    "set_index_expiry",
    "set_index_options",
    "drop_collection",
    "drop_database",
    "rename_collection",
)


class IndexCache:
    def __init__(self):
        self.lock = threading.Lock()
        self.known = {}
        self.changes = 0
        self.version = 0
        # Open transactions that changed a description, by the id of their handle.
        self.transactions = {}

    def begin_change(self):
        with self.lock:
            self.changes += 1

    def end_change(self):
        with self.lock:
            self.known.clear()
            self.version += 1
            self.changes -= 1

    def begin_change_in(self, transaction):
        """The change ends with the transaction."""
        with self.lock:
            if id(transaction) in self.transactions:
                return
            self.transactions[id(transaction)] = transaction
            self.changes += 1

    def end_change_in(self, transaction):
        with self.lock:
            if self.transactions.pop(id(transaction), None) is None:
                return
        self.end_change()

    def keep(self, key, indexes, version):
        """Keeps descriptions that were read since `version`, unless one has changed meanwhile."""
        with self.lock:
            if self.changes == 0 and self.version == version:
                self.known[key] = indexes


original = {
    name: getattr(Storage, name)
    for name in (
        "__init__",
        "_iter_indexes",
        "_maybe_mark_multikey",
        "_batch_transaction",
        "_close_user_txn_session",
        *CHANGING_METHODS,
    )
}


def __init__(self, *args, **kwargs):
    self._index_cache = IndexCache()
    original["__init__"](self, *args, **kwargs)


def _iter_indexes(self, db, coll):
    cache = self._index_cache
    if cache.changes > 0:
        return original["_iter_indexes"](self, db, coll)
    indexes = cache.known.get((db, coll))
    if indexes is None:
        version = cache.version
        # A new session: the snapshot of an open transaction may be older than the last change.
        with self._committed_read_scope():
            indexes = list(original["_iter_indexes"](self, db, coll))
        cache.keep((db, coll), indexes, version)
    return indexes if cache.changes == 0 else original["_iter_indexes"](self, db, coll)


def changing(name):
    def method(self, *args, **kwargs):
        cache = self._index_cache
        transaction = getattr(self._tls, "user_txn", None)
        if transaction is not None:
            cache.begin_change_in(transaction)
            return original[name](self, *args, **kwargs)
        cache.begin_change()
        try:
            return original[name](self, *args, **kwargs)
        finally:
            cache.end_change()

    return method


def _maybe_mark_multikey(self, db, coll, doc, indexes, already_multikey):
    newly_multikey = [
        index for index in indexes if index[0] not in already_multikey and storage._doc_makes_multikey(doc, index[1])
    ]
    if not newly_multikey:
        return already_multikey
    transaction = getattr(self._tls, "user_txn", None)
    if transaction is not None:
        self._index_cache.begin_change_in(transaction)
    elif not getattr(self._tls, "changes_indexes", False):
        self._tls.changes_indexes = True
        self._index_cache.begin_change()
    return original["_maybe_mark_multikey"](self, db, coll, doc, newly_multikey, already_multikey)


@contextlib.contextmanager
def _batch_transaction(self, *, sync=False):
    try:
        with original["_batch_transaction"](self, sync=sync) as session:
            yield session
    finally:
        if getattr(self._tls, "user_txn", None) is None and getattr(self._tls, "changes_indexes", False):
            self._tls.changes_indexes = False
            self._index_cache.end_change()


def _close_user_txn_session(self, handle):
    original["_close_user_txn_session"](self, handle)
    self._index_cache.end_change_in(handle)


def install():
    Storage.__init__ = __init__
    Storage._iter_indexes = _iter_indexes
    Storage._maybe_mark_multikey = _maybe_mark_multikey
    Storage._batch_transaction = _batch_transaction
    Storage._close_user_txn_session = _close_user_txn_session
    for name in CHANGING_METHODS:
        setattr(Storage, name, changing(name))


if __name__ == "__main__":
    if version("secantusdb") == TESTED_VERSION:
        install()
    raise SystemExit(main())
