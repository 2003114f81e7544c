import test from 'ava';
import { repetitionList } from '../../../engine/filtergraph/source-times.ts';
import { clip, sceneOf } from './_scenes.ts';

/** The start of each turn of a looped clip in seconds of the file's own clock, which starts at 1.4 s. */
const entersAt = (seekable: boolean): readonly number[] => {
  const { videoTrack } = sceneOf([clip('v', { trim_end: 1, loop: true })], { duration: 2 });
  const step = videoTrack.find(({ kind }) => kind === 'video');
  if (step?.kind !== 'video') throw new Error('no video');
  const list = repetitionList(
    { ...step, seekable, file_starts_s: 1.4 },
    '/clip',
    { from: 0, until: 60 },
    { num: 30, den: 1 },
  );
  return [...list.matchAll(/^inpoint (.*)$/gm)].map(([, at]) => Number(at));
};

test('a loop enters a file at its start, or earlier if ffmpeg skips frames', (t) => {
  t.deepEqual(entersAt(true), [1.4, 1.4]);
  t.deepEqual(entersAt(false), [0.4, 0.4]);
});
