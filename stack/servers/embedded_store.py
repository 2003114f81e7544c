"""Runs SecantusDB with faster writes of indexes.

SecantusDB 0.7.0b3 reads the descriptions of all indexes of a collection from its tables three times for each inserted
document, and seven times for each updated one. Each description is decoded from BSON in Python. For a collection with
ten indexes this is most of the work of a write. Descriptions change rarely, so this program keeps them in memory.

An update removes all index entries of the document and writes them again. This program removes and writes only those
that differ. Its keys have the same bytes.

While a change of a description is under way, every read goes to the tables, as without this program. The cache is
filled only with committed descriptions. Another version of SecantusDB runs without the cache.
"""

import contextlib
import threading
from collections.abc import Mapping
from importlib.metadata import version
from itertools import product

from secantus import storage
from secantus.cli import main
from secantus.sortkey import COMPOUND_SEP, encode_value_directed
from wiredtiger.packing import pack

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
                keys = EntryKeys(*key, indexes) if all(map(is_plain, indexes)) else None
                self.known[key] = (indexes, keys)

    def entry_keys(self, db, coll, indexes):
        """None without cached descriptions of these indexes, and if one of them is not plain."""
        _, keys = self.known.get((db, coll), (None, None))
        return keys if keys is not None and keys.names == [index[0] for index in indexes] else None


class EntryKeys:
    """Keys of the index entries of a document."""

    def __init__(self, db, coll, indexes):
        self.names = [name for name, _, _ in indexes]
        self.parts = [
            # The last column has no length, so a key is its prefix and the entry.
            (pack("SSSu", db, coll, name, b""), key_spec, bool(options.get("sparse")), partial_filter(options))
            for name, key_spec, options in indexes
        ]

    def of(self, doc, recordid):
        return {
            prefix + storage._pack_entry(key, recordid)
            for prefix, key_spec, sparse, only in self.parts
            if only is None or storage.matches(doc, only)
            for key in index_keys(doc, key_spec, sparse)
        }


def partial_filter(options):
    found = options.get("partialFilterExpression")
    return found if isinstance(found, Mapping) and found else None


def index_keys(doc, key_spec, sparse):
    """The result of `storage._index_key_variants` without a collation, with each value encoded once."""
    if sparse and not storage._sparse_covers(doc, key_spec):
        return ()
    fields = [
        dict.fromkeys(
            encode_value_directed(value, int(direction)) for value in storage._index_field_values(doc, field)[0]
        )
        for field, direction in key_spec.items()
    ]
    return fields[0] if len(fields) == 1 else {COMPOUND_SEP.join(values) for values in product(*fields)}


def is_plain(index):
    """Whether the index needs no more than entries: it is not unique, has no collation and is not geographic."""
    _, key_spec, options = index
    special = ("unique", "prepareUnique", "collation")
    return storage._geo_type_of(key_spec) is None and not any(options.get(option) for option in special)


original = {
    name: getattr(Storage, name)
    for name in (
        "__init__",
        "_iter_indexes",
        "_write_index_entries",
        "_delete_index_entries",
        "_update_matching_single_txn",
        "_enforce_capped_bounds_locked",
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
    indexes, _ = cache.known.get((db, coll), (None, None))
    if indexes is None:
        version = cache.version
        # A new session: the snapshot of an open transaction may be older than the last change.
        with self._committed_read_scope():
            indexes = list(original["_iter_indexes"](self, db, coll))
        cache.keep((db, coll), indexes, version)
    return indexes if cache.changes == 0 else original["_iter_indexes"](self, db, coll)


def _delete_index_entries(self, db, coll, doc, indexes, partials=None, *, recordid):
    """During an update, the entries of the old document are removed when those of the new one are written."""
    keys = self._index_cache.entry_keys(db, coll, indexes) if getattr(self._tls, "is_update", False) else None
    if keys is None:
        original["_delete_index_entries"](self, db, coll, doc, indexes, partials, recordid=recordid)
    else:
        self._tls.old_entries = (recordid, keys.of(doc, recordid))


def _write_index_entries(self, db, coll, doc, indexes, partials=None, *, recordid):
    of_recordid, old = getattr(self._tls, "old_entries", None) or (None, frozenset())
    self._tls.old_entries = None
    if old and of_recordid != recordid:
        raise RuntimeError("an update wrote the index entries of another document")
    cursor = self._cursor(storage._IDX_ENTRIES_TABLE)
    keys = self._index_cache.entry_keys(db, coll, indexes)
    if keys is None:
        remove(cursor, old)
        original["_write_index_entries"](self, db, coll, doc, indexes, partials, recordid=recordid)
        return
    new = keys.of(doc, recordid)
    remove(cursor, old - new)
    for key in new - old:
        set_key(cursor, key)
        cursor.set_value(b"")
        if cursor.insert() != 0:
            raise RuntimeError("an index entry was not written")


def set_key(cursor, packed):
    """Sets a packed key. WiredTiger keeps a pointer to its bytes, so the cursor keeps the object, as in its `set_key`."""
    cursor._key = packed
    cursor._set_key(packed)


def remove(cursor, keys):
    for key in keys:
        cursor.reset()
        set_key(cursor, key)
        if cursor.search() == 0:
            cursor.remove()
    cursor.reset()


def _update_matching_single_txn(self, *args, **kwargs):
    self._tls.is_update = True
    try:
        return original["_update_matching_single_txn"](self, *args, **kwargs)
    finally:
        self._tls.is_update = False
        # Only after an exception, which rolls the update back.
        self._tls.old_entries = None


def _enforce_capped_bounds_locked(self, *args, **kwargs):
    is_update = getattr(self._tls, "is_update", False)
    self._tls.is_update = False
    try:
        return original["_enforce_capped_bounds_locked"](self, *args, **kwargs)
    finally:
        self._tls.is_update = is_update


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
    Storage._delete_index_entries = _delete_index_entries
    Storage._write_index_entries = _write_index_entries
    Storage._update_matching_single_txn = _update_matching_single_txn
    Storage._enforce_capped_bounds_locked = _enforce_capped_bounds_locked
    Storage._maybe_mark_multikey = _maybe_mark_multikey
    Storage._batch_transaction = _batch_transaction
    Storage._close_user_txn_session = _close_user_txn_session
    for name in CHANGING_METHODS:
        setattr(Storage, name, changing(name))


if __name__ == "__main__":
    if version("secantusdb") == TESTED_VERSION:
        install()
    raise SystemExit(main())
