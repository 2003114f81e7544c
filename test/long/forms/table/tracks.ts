import type { Form } from '../form.ts';
import { AAC, FRAGMENTED, form, H264, HEVC, MP3, OPUS, PCM, picture, sound, VP8 } from './parts.ts';

const PICTURE = picture(H264);
const text = (kind: string, content: string): readonly string[] => [
  ...['-f', kind, '-i', `data:text/plain;base64,${Buffer.from(content).toString('base64')}`],
];
const SUBTITLES = text('srt', '1\n00:00:00,100 --> 00:00:00,900\nhello\n');
const CHAPTERS = text(
  'ffmetadata',
  ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=one\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1200\ntitle=two\n',
);
const COVER = ['-f', 'lavfi', '-i', 'color=c=red:s=64x64:r=1:d=1'];
const COVER_MAPS = [
  '-map',
  '2:v',
  '-c:v:1',
  'mjpeg',
  '-frames:v:1',
  '1',
  '-pix_fmt:v:1',
  'yuvj420p',
  '-disposition:v:1',
  'attached_pic',
];
const OTHER_SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=300:duration=1.2:sample_rate=48000'];

type Parts = Partial<Form>;
const made = (name: string, writer: string, ending: string, parts: Parts = {}): Form =>
  form(name, writer, ending, { picture: PICTURE, sound: AAC, ...parts });

const copied = (...options: readonly string[]): readonly (readonly string[])[] => [
  ['-i', 'IN', '-map', '0', '-c', 'copy', ...options, 'OUT'],
];

const beside = (): readonly Form[] => [
  made('a time code track in MOV', 'DJI and professional cameras', 'mov', { container: ['-timecode', '01:00:00:00'] }),
  made('a time code track in MP4', 'GoPro', 'mp4', { container: ['-timecode', '01:00:00:00'] }),
  made('HEVC with a time code track', 'GoPro', 'mp4', {
    picture: picture([...HEVC, '-tag:v', 'hvc1'], { rate: '60000/1001' }),
    container: ['-timecode', '01:00:00;00'],
  }),
  ...(['mp4', 'mov', 'mkv', 'ts'] as const).map((ending) =>
    made(`a second sound in ${ending.toUpperCase()}`, 'screen recorders', ending, {
      ...{ inputs: OTHER_SOUND, maps: ['-map', '2:a', '-disposition:a:0', 'default'] },
    }),
  ),
  ...(['mp4', 'mkv'] as const).map((ending) =>
    made(`a cover in ${ending.toUpperCase()}`, 'editors and sites', ending, { inputs: COVER, maps: COVER_MAPS }),
  ),
  ...(['mp4', 'mov', 'mkv'] as const).map((ending) =>
    made(`subtitles in ${ending.toUpperCase()}`, 'sites', ending, {
      ...{ inputs: SUBTITLES, maps: ['-map', '2:s', '-c:s', ending === 'mkv' ? 'srt' : 'mov_text'] },
    }),
  ),
  ...(['mp4', 'mov', 'mkv'] as const).map((ending) =>
    made(`chapters in ${ending.toUpperCase()}`, 'editors', ending, {
      ...{ inputs: CHAPTERS, maps: ['-map_metadata', '2', '-map_chapters', '2'] },
    }),
  ),
  made('WebM subtitles', 'sites', 'webm', {
    ...{ picture: picture(VP8), sound: OPUS, inputs: SUBTITLES, maps: ['-map', '2:s', '-c:s', 'webvtt'] },
  }),
  made('a track of data in TS', 'drones', 'ts', {
    ...{ inputs: text('data', 'latitude and longitude'), maps: ['-map', '2', '-c:d', 'copy'] },
  }),
];

const withoutOne = (): readonly Form[] =>
  (['mp4', 'mov', 'mkv', 'webm', 'ts', 'avi'] as const).map((ending) =>
    made(`no sound in ${ending.toUpperCase()}`, 'editors and generators', ending, {
      ...{ sound: null, picture: picture(ending === 'webm' ? VP8 : [...H264, '-bf', '0']) },
    }),
  );

/** The sound or the picture starts later than the file, or the file is a part of another one. */
const late = (): readonly Form[] => [
  ...(['mp4', 'mov', 'mkv', 'ts'] as const).flatMap((ending) => [
    made(`sound of 100 ms later in ${ending.toUpperCase()}`, 'recorders', ending, {
      rewrites: [['-i', 'IN', '-itsoffset', '0.1', '-i', 'IN', '-map', '0:v', '-map', '1:a', '-c', 'copy', 'OUT']],
    }),
    made(`picture of 100 ms later in ${ending.toUpperCase()}`, 'recorders', ending, {
      rewrites: [['-itsoffset', '0.1', '-i', 'IN', '-i', 'IN', '-map', '0:v', '-map', '1:a', '-c', 'copy', 'OUT']],
    }),
    made(`cut without encoding in ${ending.toUpperCase()}`, 'LosslessCut and phones', ending, {
      picture: picture([...H264, '-g', '6']),
      rewrites: [['-ss', '0.1', '-i', 'IN', '-map', '0', '-c', 'copy', 'OUT']],
    }),
  ]),
];

const repacked = (): readonly Form[] => [
  ...(['mkv', 'ts'] as const).map((ending) =>
    made(`times of an hour in ${ending.toUpperCase()}`, 'stream recorders', ending, {
      rewrites: copied('-output_ts_offset', '3600', '-avoid_negative_ts', 'disabled'),
    }),
  ),
  made('MP4 copied without encoding', 'converters', 'mp4', { rewrites: copied() }),
  made('negative composition offsets', 'QuickTime writers', 'mp4', {
    container: ['-movflags', 'negative_cts_offsets'],
  }),
  made('no edit list', 'old writers', 'mp4', { container: ['-use_editlist', '0'] }),
  made('fragments of each frame', 'live encoders', 'mp4', { container: ['-movflags', 'frag_every_frame+empty_moov'] }),
  made('fragments with a segment index', 'DASH packagers', 'mp4', { container: [...FRAGMENTED, '-write_tmcd', '0'] }),
  made('MOV in fragments', 'capture programs', 'mov', { container: ['-movflags', 'frag_keyframe+empty_moov'] }),
  made('metadata tags of QuickTime', 'iPhones', 'mov', {
    container: ['-movflags', 'use_metadata_tags', '-metadata', 'com.apple.quicktime.make=Apple'],
  }),
  made('MKV with cues in front', 'MKVToolNix', 'mkv', {
    container: ['-cues_to_front', '1', '-reserve_index_space', '4096'],
  }),
  made('TS with its clock near its end', 'broadcast', 'ts', { container: ['-output_ts_offset', '95442'] }),
  made('TS of variable packets', 'HLS packagers', 'ts', {
    container: ['-mpegts_flags', 'resend_headers', '-muxrate', '2M'],
  }),
  made('MOV with PCM and B-frames', 'cameras', 'mov', { sound: PCM }),
  made('MP4 with MP3', 'old converters', 'mp4', { sound: MP3 }),
  made('MP4 with a sound of 22050', 'screen recorders', 'mp4', {
    sound: sound(['-c:a', 'aac', '-b:a', '96k'], { rate: 22_050, channels: 'mono', padded: true }),
  }),
];

export const TRACKS: readonly Form[] = [...beside(), ...withoutOne(), ...late(), ...repacked()];
