import type { Form, PictureForm, SoundForm } from '../form.ts';
import {
  AAC,
  AV1,
  BT709,
  FRAGMENTED,
  form,
  H264,
  HEVC,
  MP3,
  OPUS,
  PCM,
  picture,
  RATE_NAMES,
  RATES,
  type RateName,
  sound,
  VORBIS,
  VP8,
  VP9,
} from './parts.ts';

type Container = {
  readonly name: string;
  readonly writer: string;
  readonly ending: string;
  readonly args: readonly string[];
};

const CONTAINERS: readonly Container[] = [
  { name: 'MP4', writer: 'phones and editors', ending: 'mp4', args: ['-movflags', '+faststart'] },
  { name: 'MOV', writer: 'iPhones and cameras', ending: 'mov', args: [] },
  { name: 'fragmented MP4', writer: 'browsers and recorders', ending: 'mp4', args: FRAGMENTED },
  { name: 'MKV', writer: 'OBS', ending: 'mkv', args: [] },
  { name: 'TS', writer: 'broadcast recorders', ending: 'ts', args: [] },
];
const OLD_CONTAINERS: readonly Container[] = [
  { name: 'M2TS', writer: 'AVCHD camcorders', ending: 'm2ts', args: ['-mpegts_m2ts_mode', '1'] },
  { name: 'FLV', writer: 'streaming servers', ending: 'flv', args: [] },
  { name: '3GP', writer: 'old phones', ending: '3gp', args: [] },
];

const inContainers = (): readonly Form[] =>
  CONTAINERS.flatMap(({ name, writer, ending, args }) =>
    RATE_NAMES.map((rate) =>
      form(`H.264 in ${name} at ${rate}`, writer, ending, {
        ...{ picture: picture(H264, { rate: RATES[rate] }), sound: AAC, container: args },
      }),
    ),
  );

const inOldContainers = (): readonly Form[] =>
  OLD_CONTAINERS.flatMap(({ name, writer, ending, args }) =>
    (['25', '29.97', '30'] as const).map((rate) =>
      form(`H.264 in ${name} at ${rate}`, writer, ending, {
        ...{ picture: picture(H264, { rate: RATES[rate] }), sound: AAC, container: args },
      }),
    ),
  );

const x264 = (...more: readonly string[]): readonly string[] => [...H264, ...more];

const PROFILES: readonly (readonly [name: string, writer: string, parts: PictureForm])[] = [
  ['baseline', 'web cameras', picture(x264('-profile:v', 'baseline'))],
  ['main', 'phones', picture(x264('-profile:v', 'main'))],
  ['high without B-frames', 'hardware encoders', picture(x264('-bf', '0'))],
  ['five B-frames as references', 'x264 slow', picture(x264('-bf', '5', '-b-pyramid', 'normal'))],
  ['open groups', 'broadcast encoders', picture(x264('-x264-params', 'open-gop=1:keyint=12:bframes=3'))],
  ['intra alone', 'cameras', picture(x264('-g', '1'))],
  ['long groups', 'screen recorders', picture(x264('-g', '600'))],
  ['periodic intra refresh', 'streaming encoders', picture(x264('-intra-refresh', '1'))],
  ['several slices', 'Blu-ray encoders', picture(x264('-slices', '4'))],
  ['10 bits', 'cameras', picture(x264(), { filters: ['format=yuv420p10le'] })],
  ['4:2:2', 'cameras', picture(x264(), { filters: ['format=yuv422p'] })],
  ['4:2:2 of 10 bits', 'Sony XAVC cameras', picture(x264(), { filters: ['format=yuv422p10le'] })],
  ['4:4:4', 'screen recorders', picture(x264(), { filters: ['format=yuv444p'] })],
  [
    'yuvj420p',
    'Android phones',
    picture(x264(), {
      filters: ['format=yuvj420p'],
      colour: { ...BT709, matrix: 'bt601', full_range: true, tags: ['-color_range', 'pc'] },
    }),
  ],
];

const profiles = (): readonly Form[] =>
  PROFILES.flatMap(([name, writer, made]) =>
    ['mp4', 'mov', 'mkv'].map((ending) =>
      form(`H.264, ${name}, in ${ending.toUpperCase()}`, writer, ending, { picture: made, sound: AAC }),
    ),
  );

/** Drawn by fields; the composition uses each field or each frame. */
const interlaced = (): readonly Form[] =>
  (['tff', 'bff'] as const).flatMap((first) =>
    [
      ['50', '25', 'mp4'],
      ['60000/1001', '30000/1001', 'mov'],
      ['50', '50', 'ts'],
      ['60000/1001', '60000/1001', 'mkv'],
    ].map(([rate = '', composed_rate = '', ending = '']) =>
      form(`H.264, interlaced, ${first}, ${ending.toUpperCase()}, shown at ${composed_rate}`, 'camcorders', ending, {
        picture: picture(x264('-flags', '+ilme+ildct', '-x264-params', `${first}=1`), {
          ...{ rate, interlaced: true },
          filters: ['format=yuv420p', `interlace=scan=${first}:lowpass=off`],
        }),
        ...{ sound: AAC, composed_rate },
      }),
    ),
  );

const TIMESCALES: readonly (readonly [scale: number, rates: readonly RateName[]])[] = [
  [24, ['24']],
  [30, ['15', '30']],
  [600, ['15', '23.976', '24', '25', '29.97', '30', '50', '59.94', '60', '120']],
  [1000, ['24', '25', '29.97', '30', '60']],
  [2997, ['29.97']],
  [15_360, ['30', '60']],
  [30_000, ['29.97', '23.976', '59.94']],
  [90_000, ['24', '25', '29.97', '30', '60']],
];

const timescales = (): readonly Form[] =>
  TIMESCALES.flatMap(([scale, rates]) =>
    rates.map((rate) =>
      form(`H.264 of the time scale ${scale} at ${rate}`, 'iPhones, QuickTime and editors', 'mov', {
        ...{ picture: picture(H264, { rate: RATES[rate] }), sound: AAC },
        container: ['-video_track_timescale', String(scale)],
      }),
    ),
  );

const hevc = (): readonly Form[] =>
  (['mp4', 'mov', 'mkv'] as const).flatMap((ending) =>
    [
      { name: '8 bits', format: 'yuv420p', tag: 'hvc1' },
      { name: '10 bits', format: 'yuv420p10le', tag: 'hvc1' },
      { name: '8 bits, hev1', format: 'yuv420p', tag: 'hev1' },
    ].flatMap(({ name, format, tag }) =>
      (['24', '29.97', '60'] as const).flatMap((rate) =>
        ending === 'mkv' && tag === 'hev1'
          ? []
          : [
              form(`HEVC, ${name}, in ${ending.toUpperCase()} at ${rate}`, 'iPhones, GoPro and DJI', ending, {
                picture: picture([...HEVC, ...(ending === 'mkv' ? [] : ['-tag:v', tag])], {
                  ...{ rate: RATES[rate], filters: [`format=${format}`] },
                }),
                sound: AAC,
              }),
            ],
      ),
    ),
  );

type WebFilm = readonly [
  name: string,
  ending: string,
  encoder: readonly string[],
  sound: SoundForm,
  parts?: Partial<PictureForm>,
];

const TEN_BITS = { filters: ['format=yuv420p10le'] };
const WEB: readonly WebFilm[] = [
  ['VP8 and Opus in WebM', 'webm', VP8, OPUS],
  ['VP8 and Vorbis in WebM', 'webm', VP8, VORBIS],
  ['VP9 and Opus in WebM', 'webm', VP9, OPUS],
  ['VP9 and Vorbis in MKV', 'mkv', VP9, VORBIS],
  ['VP9 of 10 bits in WebM', 'webm', [...VP9, '-profile:v', '2'], OPUS, TEN_BITS],
  ['VP9 in MP4', 'mp4', VP9, OPUS],
  ['AV1 and Opus in WebM', 'webm', AV1, OPUS],
  ['AV1 and AAC in MP4', 'mp4', AV1, AAC],
  ['AV1 in MKV', 'mkv', AV1, OPUS],
  ['AV1 of 10 bits in MP4', 'mp4', AV1, AAC, TEN_BITS],
];

const web = (): readonly Form[] => [
  ...WEB.flatMap(([name, ending, encoder, heard, parts = {}]) =>
    (['24', '29.97', '30', '60'] as const).map((rate) =>
      form(`${name} at ${rate}`, 'browsers and video sites', ending, {
        ...{ picture: picture(encoder, { rate: RATES[rate], ...parts }), sound: heard },
      }),
    ),
  ),
  ...(['webm', 'mkv'] as const).flatMap((ending) => [
    form(`VP9 with alpha in ${ending.toUpperCase()}`, 'editors of overlays', ending, {
      picture: picture(VP9, { filters: ['format=yuva420p'], alpha: true, decoder: 'libvpx-vp9' }),
      sound: OPUS,
    }),
    form(`VP8 with alpha in ${ending.toUpperCase()}`, 'editors of overlays', ending, {
      picture: picture([...VP8, '-auto-alt-ref', '0'], {
        filters: ['format=yuva420p'],
        alpha: true,
        decoder: 'libvpx',
      }),
      sound: VORBIS,
    }),
  ]),
  ...(['webm', 'mkv'] as const).map((ending) =>
    form(`VP8 of MediaRecorder, without a length, in ${ending.toUpperCase()}`, 'Chrome', ending, {
      ...{ picture: picture(VP8), sound: OPUS, container: ['-live', '1'] },
    }),
  ),
];

/** Filters that drop frames from 60 fps, as screen recorders do while the picture does not change. */
const UNEVEN = {
  'every third missing': `select='not(eq(mod(n,3),2))'`,
  'a pause': `select='lt(t,0.3)+gt(t,0.6)'`,
  'halved after half a second': `select='lt(t,0.5)+not(mod(n,2))'`,
} as const;

const variable = (): readonly Form[] =>
  Object.entries(UNEVEN).flatMap(([name, select]) =>
    (['mp4', 'mov', 'mkv', 'webm', 'ts'] as const).flatMap((ending) =>
      (['60', '30'] as const).map((composed_rate) =>
        form(
          `variable rate, ${name}, in ${ending.toUpperCase()}, shown at ${composed_rate}`,
          'screen recorders',
          ending,
          {
            picture: picture([...(ending === 'webm' ? VP8 : H264), '-fps_mode', 'vfr', '-enc_time_base', '1/90000'], {
              ...{ rate: '60', filters: [select, 'settb=1/90000', 'format=yuv420p'] },
            }),
            ...{ sound: ending === 'webm' ? OPUS : AAC, composed_rate },
          },
        ),
      ),
    ),
  );

const turned = (): readonly Form[] =>
  ([90, 180, 270] as const).flatMap((degrees) =>
    (
      [
        ['H.264', 'mp4', H264],
        ['H.264', 'mov', H264],
        ['HEVC', 'mov', [...HEVC, '-tag:v', 'hvc1']],
      ] as const
    ).map(([name, ending, encoder]) =>
      form(`${name} in ${ending.toUpperCase()}, turned by ${degrees}`, 'phones', ending, {
        ...{ picture: picture(encoder, { turned: degrees }), sound: AAC },
      }),
    ),
  );

type Studio = readonly [
  name: string,
  ending: string,
  encoder: readonly string[],
  format: string,
  parts?: Partial<PictureForm>,
];

/** A DNxHR decoder uses BT.709 if the file has no tag. */
const LARGE = { width: 320, height: 144, colour: { ...BT709, tags: [] } };
const RGB = { colour: { ...BT709, matrix: 'rgb', tags: [] } } as const;
const FULL = { colour: { ...BT709, matrix: 'bt601', full_range: true, tags: ['-color_range', 'pc'] } } as const;
const prores = (profile: number): readonly string[] => ['-c:v', 'prores_ks', '-profile:v', String(profile)];
const STUDIO: readonly Studio[] = [
  ...(['proxy', 'LT', '422', 'HQ'] as const).map(
    (name, n): Studio => [`ProRes ${name}`, 'mov', prores(n), 'yuv422p10le'],
  ),
  ['ProRes 4444', 'mov', prores(4), 'yuv444p10le'],
  ['ProRes 4444 with alpha', 'mov', [...prores(4), '-alpha_bits', '16'], 'yuva444p10le', { alpha: true }],
  ['ProRes 422 in MKV', 'mkv', prores(2), 'yuv422p10le'],
  ...(['lb', 'sq', 'hq'] as const).map(
    (name): Studio => [`DNxHR ${name}`, 'mov', ['-c:v', 'dnxhd', '-profile:v', `dnxhr_${name}`], 'yuv422p', LARGE],
  ),
  ['DNxHR hqx', 'mov', ['-c:v', 'dnxhd', '-profile:v', 'dnxhr_hqx'], 'yuv422p10le', LARGE],
  ['DNxHR in MXF', 'mxf', ['-c:v', 'dnxhd', '-profile:v', 'dnxhr_hq'], 'yuv422p', LARGE],
  ['Hap', 'mov', ['-c:v', 'hap'], 'rgba', RGB],
  ['Hap alpha', 'mov', ['-c:v', 'hap', '-format', 'hap_alpha'], 'rgba', { ...RGB, alpha: true }],
  ['Hap Q', 'mov', ['-c:v', 'hap', '-format', 'hap_q'], 'rgba', RGB],
  ['QuickTime Animation', 'mov', ['-c:v', 'qtrle'], 'rgb24', RGB],
  ['QuickTime Animation with alpha', 'mov', ['-c:v', 'qtrle'], 'argb', { ...RGB, alpha: true }],
  ['PNG in MOV', 'mov', ['-c:v', 'png'], 'rgb24', RGB],
  ['PNG with alpha in MOV', 'mov', ['-c:v', 'png'], 'rgba', { ...RGB, alpha: true }],
  ['MJPEG in AVI', 'avi', ['-c:v', 'mjpeg', '-q:v', '2'], 'yuvj420p', FULL],
  ['MJPEG 4:2:2 in AVI', 'avi', ['-c:v', 'mjpeg', '-q:v', '2'], 'yuvj422p', FULL],
  ['MJPEG in MOV', 'mov', ['-c:v', 'mjpeg', '-q:v', '2'], 'yuvj422p', FULL],
  ['CineForm in MOV', 'mov', ['-c:v', 'cfhd'], 'yuv422p10le'],
  ['FFV1 in MKV', 'mkv', ['-c:v', 'ffv1', '-level', '3'], 'yuv422p'],
  ['FFV1 of 10 bits in MKV', 'mkv', ['-c:v', 'ffv1', '-level', '3'], 'yuv422p10le'],
  ['Ut Video in AVI', 'avi', ['-c:v', 'utvideo'], 'yuv422p'],
  ['HuffYUV in AVI', 'avi', ['-c:v', 'huffyuv'], 'yuv422p'],
  ['uncompressed in AVI', 'avi', ['-c:v', 'rawvideo'], 'yuv420p'],
  ['uncompressed 4:2:2 in MOV', 'mov', ['-c:v', 'v210'], 'yuv422p10le'],
];

const studio = (): readonly Form[] =>
  STUDIO.flatMap(([name, ending, encoder, format, parts = {}]) =>
    (ending === 'mxf' ? (['25'] as const) : (['23.976', '25'] as const)).map((rate) =>
      form(`${name} at ${rate}`, 'cameras and editors', ending, {
        picture: picture(encoder, { rate: RATES[rate], filters: [`format=${format}`], ...parts }),
        sound: PCM,
      }),
    ),
  );

const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '2'];
const WMA = sound(['-c:a', 'wmav2', '-b:a', '128k'], { rate: 44_100, padded: true });
const MP2 = sound(['-c:a', 'mp2', '-b:a', '192k'], { padded: true });
const AC3 = sound(['-c:a', 'ac3', '-b:a', '192k'], { padded: true });
const MPEG2 = ['-c:v', 'mpeg2video', '-q:v', '2'];
type Old = readonly [
  name: string,
  ending: string,
  encoder: readonly string[],
  sound: SoundForm,
  rate: RateName,
  parts?: Partial<PictureForm>,
];

const QCIF = { width: 176, height: 144 };
const OLD: readonly Old[] = [
  ['MPEG-4 in AVI', 'avi', MPEG4, MP3, '25'],
  ['MPEG-4 in AVI', 'avi', MPEG4, MP3, '29.97'],
  ['MPEG-4 with B-frames in AVI', 'avi', ['-c:v', 'libxvid', '-q:v', '2', '-bf', '2'], MP3, '25'],
  ['MPEG-4 in MP4', 'mp4', MPEG4, AAC, '30'],
  ['MPEG-4 with B-frames in MP4', 'mp4', [...MPEG4, '-bf', '2'], AAC, '25'],
  ['MPEG-4 in 3GP', '3gp', MPEG4, AAC, '15'],
  ['MPEG-4 in MKV', 'mkv', [...MPEG4, '-bf', '2'], MP3, '23.976'],
  ['DivX 3 in AVI', 'avi', ['-c:v', 'msmpeg4', '-q:v', '2'], MP3, '25'],
  ['H.264 in AVI', 'avi', x264('-bf', '0'), MP3, '30'],
  ['H.264 with B-frames in AVI', 'avi', x264('-bf', '2'), MP3, '30'],
  ['H.263 in 3GP', '3gp', ['-c:v', 'h263', '-q:v', '2'], AAC, '15', QCIF],
  ['H.263 in AVI', 'avi', ['-c:v', 'h263', '-q:v', '2'], PCM, '29.97', QCIF],
  ['WMV 2 in WMV', 'wmv', ['-c:v', 'wmv2', '-q:v', '2'], WMA, '25'],
  ['WMV 2 in WMV', 'wmv', ['-c:v', 'wmv2', '-q:v', '2'], WMA, '30'],
  ['WMV 1 in WMV', 'wmv', ['-c:v', 'wmv1', '-q:v', '2'], WMA, '15'],
  [
    'Sorenson H.263 in FLV',
    'flv',
    ['-c:v', 'flv', '-q:v', '2'],
    sound(MP3.encoder, { rate: 44_100, padded: true }),
    '25',
  ],
  ['Theora in Ogg', 'ogv', ['-c:v', 'libtheora', '-q:v', '10'], VORBIS, '25'],
  ['MPEG-1 in MPG', 'mpg', ['-c:v', 'mpeg1video', '-q:v', '2'], MP2, '25'],
  ['MPEG-2 in MPG', 'mpg', MPEG2, MP2, '25'],
  ['MPEG-2 with AC-3 in VOB', 'vob', [...MPEG2, '-bf', '2'], AC3, '29.97'],
  ['MPEG-2 in TS', 'ts', [...MPEG2, '-bf', '2'], MP2, '25'],
  ['MPEG-2 in TS', 'ts', [...MPEG2, '-bf', '2'], AC3, '29.97'],
  ['MPEG-2 in TS', 'ts', [...MPEG2, '-bf', '2'], AC3, '59.94'],
  ['MPEG-2 in MKV', 'mkv', [...MPEG2, '-bf', '2'], AC3, '23.976'],
  ['MPEG-2 4:2:2 in MXF', 'mxf', [...MPEG2, '-g', '12'], PCM, '25', { filters: ['format=yuv422p'] }],
];

const old = (): readonly Form[] => [
  ...OLD.map(([name, ending, encoder, heard, rate, parts = {}]) =>
    form(`${name} at ${rate}`, 'old cameras, discs and broadcast', ending, {
      ...{ picture: picture(encoder, { rate: RATES[rate], ...parts }), sound: heard },
    }),
  ),
  ...(['tff', 'bff'] as const).flatMap((first) =>
    (['ts', 'mpg'] as const).map((ending) =>
      form(`MPEG-2, interlaced, ${first}, in ${ending.toUpperCase()}`, 'broadcast and DVD', ending, {
        picture: picture([...MPEG2, '-flags', '+ilme+ildct', '-top', first === 'tff' ? '1' : '0'], {
          ...{ rate: '50', interlaced: true },
          filters: ['format=yuv420p', `interlace=scan=${first}:lowpass=off`],
        }),
        ...{ sound: MP2, composed_rate: '25' },
      }),
    ),
  ),
  ...(
    [
      ['DV of PAL', '50', '25', 720, 576, 'yuv420p'],
      ['DV of NTSC', '60000/1001', '30000/1001', 720, 480, 'yuv411p'],
    ] as const
  ).map(([name, rate, composed_rate, width, height, format]) =>
    form(`${name} in AVI`, 'DV camcorders', 'avi', {
      picture: picture(['-c:v', 'dvvideo', '-flags', '+ilme+ildct'], {
        ...{ rate, width, height, interlaced: true },
        filters: [`format=${format}`, 'interlace=scan=bff:lowpass=off', 'setsar=16/15'],
      }),
      ...{ sound: PCM, composed_rate },
    }),
  ),
];

export const FILMS: readonly Form[] = [
  ...[...inContainers(), ...inOldContainers(), ...profiles(), ...interlaced(), ...timescales(), ...hevc()],
  ...[...web(), ...variable(), ...turned(), ...studio(), ...old()],
];
