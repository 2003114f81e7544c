import test from 'ava';
import { uploadValueFault } from '../../../domain/uploads/value-fault.ts';

const MIB = 1024 ** 2;

test('only a ready upload of the right kind and size can be a value', (t) => {
  t.is(uploadValueFault({ kind: 'image' }, { kind: 'image', size_bytes: 50 * MIB }), null);
  t.is(uploadValueFault({ kind: 'image' }, null), 'there is no such upload, or it is not ready');
  t.regex(uploadValueFault({ kind: 'image' }, { kind: 'video', size_bytes: 1 }) ?? '', /this one is of kind video/);
  t.regex(uploadValueFault({ kind: 'image' }, { kind: 'image', size_bytes: 50 * MIB + 1 }) ?? '', /50 MiB/);
  t.is(uploadValueFault({ kind: 'video' }, { kind: 'video', size_bytes: 512 * MIB }), null);
});
