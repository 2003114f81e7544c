import test from 'ava';
import { outputFault } from '../../../engine/scene/output-fault.ts';

const output = { name: 'master', width: 320, height: 180, codec: 'h264', quality: 'standard', crf: 20 } as const;

test('a refusal names the output that is too small for H.265', (t) => {
  t.is(outputFault([output, { ...output, name: 'small', codec: 'h265', width: 64, height: 64 }]), null);
  t.like(outputFault([output, { ...output, name: 'small', codec: 'h265', width: 112, height: 62 }]), {
    tag: 'composition',
    code: 'output_too_small',
    message:
      'the variant "small" would be 112x62, but H.265 needs at least 64 pixels on each side: choose another codec or size',
  });
  t.is(outputFault([{ ...output, width: 2, height: 2 }]), null);
});
