import test from 'ava';
import { hasSucceeded } from '../../../engine/process/ffmpeg-faults.ts';
import { encodingBounds } from '../../../engine/process/process-bounds.ts';

const HD = { width: 1920, height: 1080 };
/** Three threads decode each file, and three scale it; a stack is 8 MiB. */
const STACKS_BYTES = 2 * 3 * 8 * 2 ** 20;

test('the memory limit includes a thread stack for each file that is read', (t) => {
  const boundOf = (inputs: readonly string[]) => encodingBounds(HD, [HD], 120, inputs).memory_bytes;
  const many = Array.from({ length: 50 }, () => ['-i', '/a/-i']).flat();
  t.true(boundOf(many) - boundOf([]) >= 50 * STACKS_BYTES);
});

test('an encoder that could not write the end of a file has failed', (t) => {
  const finished = { exit_code: 0, stdout: '', stderr: '' };
  t.true(hasSucceeded({ ...finished, stderr: '[mp4] a warning\n' }));
  t.false(hasSucceeded({ ...finished, stderr: '[out#0] Error writing trailer of a.m4a: No space left on device\n' }));
  t.false(hasSucceeded({ ...finished, stderr: 'Error closing file a.webp\n' }));
  t.false(hasSucceeded({ ...finished, exit_code: 1 }));
});
