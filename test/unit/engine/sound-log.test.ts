import test from 'ava';
import { createSoundLogParser } from '../../../engine/encode/sound-log.ts';

const FORMAT = 'tb:1/48000 samplefmt:fltp samplerate:48000 chlayout:';

const readOf = (...lines: readonly string[]) => {
  const log = createSoundLogParser();
  for (const line of lines) log.onLine(line);
  return { changing: log.changing(), errors: log.errors() };
};

test('ffmpeg inputs whose format changes in mid-stream are found, and no others', (t) => {
  const { changing } = readOf(
    `[graph_0_in_0_1 @ 0x55] [verbose] ${FORMAT}stereo`,
    `[graph_0_in_12_0 @ 0x56] [verbose] ${FORMAT}mono`,
    `[graph_0_in_0_1 @ 0x57] [verbose] ${FORMAT}stereo`,
    `[graph_0_in_12_0 @ 0x58] [verbose] ${FORMAT}5.1(side)`,
  );
  t.deepEqual(changing, [12]);
  const later = [
    `[graph_0_in_3:0 @ 0x55] [verbose] ${FORMAT}stereo`,
    `[graph_0_in_3:0 @ 0x55] [verbose] ${FORMAT}mono`,
  ];
  t.deepEqual(readOf(...later).changing, [3]);
});

test('errors of ffmpeg are reported without its other log lines', (t) => {
  const { errors } = readOf(
    '[info] Input #0, wav',
    '[ac3 @ 0x55] [error] invalid frame',
    '[verbose] Invalid data found',
    '[error] Error while decoding stream #0:0',
    '[fatal] stopped',
  );
  t.is(errors, '[ac3 @ 0x55] invalid frame\nError while decoding stream #0:0\nstopped');
});
