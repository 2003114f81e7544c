import test from 'ava';
import { blamesInput, ffmpegFault } from '../../../engine/process/ffmpeg-faults.ts';

const REINITIALIZED = 'Error reinitializing filters!\nFailed to inject frame into filter network: ';
const PROCESSING = 'Error while processing the decoded data for stream #0:0\n';

test("ffmpeg's messages about sources are hints, and those about disk or memory are not", (t) => {
  const hints = [
    'Decoder (codec none) not found for input stream #0:1\n',
    'it.mp4: Invalid data found when processing input\n',
    `${REINITIALIZED}Invalid argument\n${PROCESSING}`,
  ];
  for (const stderr of hints) t.true(blamesInput(stderr), stderr);
  const others = [
    'av_interleaved_write_frame(): No space left on device\nError while decoding stream #0:0\n',
    `${REINITIALIZED}Cannot allocate memory\n${PROCESSING}`,
    'Unknown encoder libx264\n',
    'Decoder (codec h264) not found for input stream #0:1\n',
  ];
  for (const stderr of others) t.false(blamesInput(stderr), stderr);
});

test("ffmpeg's messages are no proof of a composition fault", (t) => {
  t.deepEqual(ffmpegFault(`${REINITIALIZED}Invalid argument\n${PROCESSING}`), {
    tag: 'infrastructure',
    message: 'ffmpeg failed: Error while processing the decoded data for stream #0:0',
  });
});
