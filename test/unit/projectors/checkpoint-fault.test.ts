import test from 'ava';
import { extendChain, INITIAL_CHAIN_POSITION } from '../../../projectors/checkpoint/chain.ts';
import { checkpointChainFault } from '../../../projectors/checkpoint/checkpoint-fault.ts';
import { recordAt } from '../../helpers/batch-entries.ts';

const checkpoint = extendChain(INITIAL_CHAIN_POSITION, [recordAt(0), recordAt(1)]);
const bounds = { start: 0, end: 5 };

test('a checkpoint that the log confirms is accepted', (t) => {
  t.is(checkpointChainFault(checkpoint, bounds, recordAt(1)), null);
  t.is(checkpointChainFault(INITIAL_CHAIN_POSITION, { start: 0, end: 0 }, null), null);
});

test('a log that ends before the checkpoint raises an alarm', (t) => {
  t.is(checkpointChainFault(checkpoint, { start: 0, end: 1 }, null), 'the log ends at 1, before the checkpoint at 2');
});

test('a changed or missing last record raises an alarm', (t) => {
  t.is(
    checkpointChainFault(checkpoint, bounds, recordAt(1, { value: Buffer.from('valuE') })),
    'record 1 differs from the folded one',
  );
  t.is(checkpointChainFault(checkpoint, bounds, null), 'the log no longer has record 1');
});
