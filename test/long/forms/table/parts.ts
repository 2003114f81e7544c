import type { Colour, Form, PictureForm, SoundForm } from '../form.ts';

/** Without tags ffmpeg and players read a small film as BT.601. */
export const UNTAGGED: Colour = { matrix: 'bt601', full_range: false, primaries: null, hdr: null, tags: [] };

const tagsOf = (matrix: string, primaries: string, transfer: string, range: string): readonly string[] => [
  ...['-colorspace', matrix, '-color_primaries', primaries, '-color_trc', transfer, '-color_range', range],
];

export const BT709: Colour = { ...UNTAGGED, matrix: 'bt709', tags: tagsOf('bt709', 'bt709', 'bt709', 'tv') };

export const COLOURS = {
  untagged: UNTAGGED,
  bt709: BT709,
  'bt601 525': {
    ...UNTAGGED,
    primaries: 'smpte170m',
    tags: tagsOf('smpte170m', 'smpte170m', 'smpte170m', 'tv'),
  },
  'bt601 625': { ...UNTAGGED, primaries: 'bt470bg', tags: tagsOf('bt470bg', 'bt470bg', 'gamma28', 'tv') },
  'bt601 matrix alone': { ...UNTAGGED, tags: ['-colorspace', 'smpte170m'] },
  'bt709 matrix alone': { ...BT709, tags: ['-colorspace', 'bt709'] },
  'full bt601': { ...UNTAGGED, full_range: true, tags: ['-colorspace', 'smpte170m', '-color_range', 'pc'] },
  'full bt709': { ...BT709, full_range: true, tags: tagsOf('bt709', 'bt709', 'bt709', 'pc') },
  'sRGB transfer': { ...BT709, tags: tagsOf('bt709', 'bt709', 'iec61966-2-1', 'tv') },
  'Display P3': { ...BT709, primaries: 'smpte432', tags: tagsOf('bt709', 'smpte432', 'bt709', 'tv') },
  'bt2020 SDR': {
    ...UNTAGGED,
    matrix: 'bt2020',
    primaries: 'bt2020',
    tags: tagsOf('bt2020nc', 'bt2020', 'bt2020-10', 'tv'),
  },
  HLG: {
    ...{ matrix: 'bt2020', full_range: false, primaries: 'bt2020', hdr: 'arib-std-b67' },
    tags: tagsOf('bt2020nc', 'bt2020', 'arib-std-b67', 'tv'),
  },
  PQ: {
    ...{ matrix: 'bt2020', full_range: false, primaries: 'bt2020', hdr: 'smpte2084' },
    tags: tagsOf('bt2020nc', 'bt2020', 'smpte2084', 'tv'),
  },
} as const satisfies Record<string, Colour>;

const PICTURE: PictureForm = {
  ...{ rate: '30', width: 160, height: 96, filters: ['format=yuv420p'], colour: UNTAGGED },
  ...{ encoder: [], alpha: false, decoder: null, interlaced: false, turned: 0 },
};

export const picture = (encoder: readonly string[], parts: Partial<PictureForm> = {}): PictureForm => ({
  ...{ ...PICTURE, encoder },
  ...parts,
});

export const sound = (encoder: readonly string[], parts: Partial<SoundForm> = {}): SoundForm => ({
  ...{ rate: 48_000, channels: 'stereo', padded: false, encoder },
  ...parts,
});

const REFUSED: readonly string[] = ['flv', 'mpg', 'vob', 'mxf', 'au', 'ac3'];

export const form = (
  name: string,
  writer: string,
  ending: string,
  parts: Partial<Form> & Pick<Form, 'picture' | 'sound'>,
): Form => ({
  ...{ name, writer, ending, container: [], inputs: [], maps: [], rewrites: [], wav_sizes: null },
  ...{ composed_rate: parts.picture?.rate ?? '30', played: 'whole', known: null },
  refused: REFUSED.includes(ending),
  ...parts,
});

export const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-g', '30'];
export const HEVC = [
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '14'],
  ...['-x265-params', 'log-level=none:pools=1:frame-threads=1'],
];
export const VP8 = ['-c:v', 'libvpx', '-b:v', '2M', '-crf', '6', '-deadline', 'realtime', '-cpu-used', '8'];
export const VP9 = ['-c:v', 'libvpx-vp9', '-b:v', '0', '-crf', '16', '-deadline', 'realtime', '-cpu-used', '8'];
export const AV1 = ['-c:v', 'libaom-av1', '-crf', '18', '-b:v', '0', '-usage', 'realtime', '-cpu-used', '8'];

export const AAC = sound(['-c:a', 'aac', '-b:a', '160k'], { padded: true });
export const OPUS = sound(['-c:a', 'libopus', '-b:a', '128k'], { padded: true });
export const VORBIS = sound(['-c:a', 'libvorbis', '-q:a', '6'], { padded: true });
export const MP3 = sound(['-c:a', 'libmp3lame', '-b:a', '128k'], { padded: true });
export const PCM = sound(['-c:a', 'pcm_s16le']);

export const RATES = {
  '12.5': '25/2',
  '15': '15',
  '23.976': '24000/1001',
  '24': '24',
  '25': '25',
  '29.97': '30000/1001',
  '30': '30',
  '48': '48',
  '50': '50',
  '59.94': '60000/1001',
  '60': '60',
  '120': '120',
} as const;
export type RateName = keyof typeof RATES;
export const RATE_NAMES = Object.keys(RATES) as readonly RateName[];

export const FRAGMENTED = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
