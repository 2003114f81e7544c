import test from 'ava';
import { ffmpegFault } from '../../../render-workers/engine/process/ffmpeg-faults.ts';

const REINITIALIZED = 'Error reinitializing filters!\nFailed to inject frame into filter network: ';
const PROCESSING = 'Error while processing the decoded data for stream #0:0\n';

test('a source of which nothing can be made is at fault, a full disk or memory of ours never is', (t) => {
  const at_fault = [
    'Decoder (codec none) not found for input stream #0:1\n',
    'it.mp4: Invalid data found when processing input\n',
    `${REINITIALIZED}Invalid argument\n${PROCESSING}`,
  ];
  for (const stderr of at_fault) t.like(ffmpegFault(stderr), { tag: 'composition', code: 'unreadable_media' }, stderr);
  const ours = [
    'av_interleaved_write_frame(): No space left on device\nError while decoding stream #0:0\n',
    `${REINITIALIZED}Cannot allocate memory\n${PROCESSING}`,
    'Unknown encoder libx264\n',
    'Decoder (codec h264) not found for input stream #0:1\n',
  ];
  for (const stderr of ours) t.like(ffmpegFault(stderr), { tag: 'infrastructure' }, stderr);
});
