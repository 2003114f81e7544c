import test from 'ava';
import {
  extendChain,
  INITIAL_CHAIN_HASH,
  INITIAL_CHAIN_POSITION,
  nextChainHash,
} from '../../../projectors/checkpoint/chain.ts';
import { recordAt } from '../../helpers/batch-entries.ts';

// Computed with Python's hashlib and struct, from the definition only.
const FIRST = '90374de0ef4fbc0b665aa235d4a7e6890cce4e97f2acb13301a70b9fa2ded2ec';
const SECOND = 'a10f7a9547bf2bedfd63423bbdc22e658495a2adc2febe3faf95daf28cbb35e1';
const NULLS = '0e37d9a53af8b97e52932ac5f4ae5591f1e0ba345f3e60611722ae25f66c66d2';

const first = recordAt(0, {
  append_time_ms: 1_700_000_000_000,
  key: Buffer.from('rend_1'),
  value: Buffer.from([0, 1]),
});
const second = recordAt(1, { append_time_ms: 1_700_000_000_001, key: Buffer.from('ключ'), value: Buffer.alloc(0) });
const nulls = recordAt(2, { append_time_ms: 1_700_000_000_002, key: null, value: null });

test('the chain matches its definition', (t) => {
  const h1 = nextChainHash(INITIAL_CHAIN_HASH, first);
  const h2 = nextChainHash(h1, second);
  t.deepEqual([h1, h2, nextChainHash(h2, nulls)], [FIRST, SECOND, NULLS]);
});

test('a null and an empty value give different chains', (t) => {
  t.not(
    nextChainHash(INITIAL_CHAIN_HASH, recordAt(0, { value: null })),
    nextChainHash(INITIAL_CHAIN_HASH, recordAt(0, { value: Buffer.alloc(0) })),
  );
});

test('a byte that moves from the key to the value changes the chain', (t) => {
  const parts = (key: string, value: string) => recordAt(0, { key: Buffer.from(key), value: Buffer.from(value) });
  t.not(nextChainHash(INITIAL_CHAIN_HASH, parts('ab', 'c')), nextChainHash(INITIAL_CHAIN_HASH, parts('a', 'bc')));
});

test('a position has the hash before its last record, to check that record', (t) => {
  const { next, chain, chain_before } = extendChain(INITIAL_CHAIN_POSITION, [first, second, nulls]);
  t.is(next, 3);
  t.is(chain, NULLS);
  t.is(nextChainHash(chain_before, nulls), chain);
});

test('the chain does not depend on batches', (t) => {
  const once = extendChain(INITIAL_CHAIN_POSITION, [first, second, nulls]);
  for (const cut of [0, 1, 2, 3]) {
    const records = [first, second, nulls];
    t.deepEqual(extendChain(extendChain(INITIAL_CHAIN_POSITION, records.slice(0, cut)), records.slice(cut)), once);
  }
});
