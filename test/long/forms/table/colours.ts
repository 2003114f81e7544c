import type { Form } from '../form.ts';
import { AV1, BT709, COLOURS, form, H264, HEVC, picture, UNTAGGED, VP9 } from './parts.ts';

type Keeper = {
  readonly name: string;
  readonly ending: string;
  readonly encoder: readonly string[];
  readonly format: string;
  readonly colours: readonly (keyof typeof COLOURS)[];
};

const SDR = [
  ...['untagged', 'bt709', 'bt601 525', 'bt601 625', 'bt601 matrix alone', 'bt709 matrix alone'],
  ...['full bt601', 'full bt709', 'sRGB transfer', 'Display P3', 'bt2020 SDR'],
] as readonly (keyof typeof COLOURS)[];
const WIDE = ['bt709', 'Display P3', 'bt2020 SDR', 'HLG', 'PQ'] as const;

const KEEPERS: readonly Keeper[] = [
  { name: 'H.264 in MP4', ending: 'mp4', encoder: H264, format: 'yuv420p', colours: SDR },
  { name: 'H.264 in MKV', ending: 'mkv', encoder: H264, format: 'yuv420p', colours: SDR },
  {
    name: 'H.264 in TS',
    ending: 'ts',
    encoder: H264,
    format: 'yuv420p',
    colours: ['bt709', 'bt601 625', 'full bt709'],
  },
  { name: 'HEVC in MP4', ending: 'mp4', encoder: HEVC, format: 'yuv420p10le', colours: [...WIDE, 'full bt709'] },
  { name: 'HEVC in MOV', ending: 'mov', encoder: [...HEVC, '-tag:v', 'hvc1'], format: 'yuv420p10le', colours: WIDE },
  { name: 'HEVC in MKV', ending: 'mkv', encoder: HEVC, format: 'yuv420p10le', colours: ['HLG', 'PQ'] },
  {
    name: 'VP9 in WebM',
    ending: 'webm',
    encoder: VP9,
    format: 'yuv420p',
    colours: ['untagged', 'bt709', 'full bt709'],
  },
  { name: 'VP9 of 10 bits in WebM', ending: 'webm', encoder: VP9, format: 'yuv420p10le', colours: ['HLG', 'PQ'] },
  {
    name: 'AV1 in MP4',
    ending: 'mp4',
    encoder: AV1,
    format: 'yuv420p10le',
    colours: ['bt709', 'bt2020 SDR', 'HLG', 'PQ'],
  },
  {
    ...{ name: 'ProRes in MOV', ending: 'mov', format: 'yuv422p10le' },
    encoder: ['-c:v', 'prores_ks', '-profile:v', '2'],
    colours: ['bt709', 'bt601 525', 'Display P3', 'HLG', 'PQ'],
  },
  {
    ...{ name: 'MPEG-2 in TS', ending: 'ts', format: 'yuv420p' },
    encoder: ['-c:v', 'mpeg2video', '-q:v', '2'],
    colours: ['bt709', 'bt601 525', 'bt601 625'],
  },
];

/** The ProRes encoder takes the tags from the frames. */
const tagsOfFrames = (name: string, colour: keyof typeof COLOURS): readonly string[] => {
  const [, matrix, , primaries, , transfer] = COLOURS[colour].tags;
  return name.startsWith('ProRes')
    ? [`setparams=colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}`]
    : [];
};

/** Larger than standard definition, so players use BT.709 without a tag. */
const HIGH = { width: 360, height: 640 };

export const COLOURED: readonly Form[] = [
  ...KEEPERS.flatMap(({ name, ending, encoder, format, colours }) =>
    colours.map((colour) =>
      form(`${name}, ${colour}`, 'cameras, phones and editors', ending, {
        ...{
          picture: picture(encoder, {
            filters: [`format=${format}`, ...tagsOfFrames(name, colour)],
            colour: COLOURS[colour],
          }),
          sound: null,
        },
      }),
    ),
  ),
  ...(['mp4', 'mov', 'mkv', 'avi'] as const).map((ending) =>
    form(`H.264 in ${ending.toUpperCase()}, high and untagged`, 'screen recorders', ending, {
      picture: picture([...H264, '-bf', '0'], { ...HIGH, colour: { ...BT709, tags: [] }, rate: '15' }),
      sound: null,
    }),
  ),
  form('H.264 in MP4, high and tagged as BT.601', 'converters', 'mp4', {
    picture: picture(H264, { ...HIGH, colour: { ...UNTAGGED, tags: ['-colorspace', 'smpte170m'] }, rate: '15' }),
    sound: null,
  }),
];
