import { execa } from 'execa';
import { colorAround, ffmpeg, framesOf, levelOf } from '../../integration/engine/_measuring.ts';
import { type Form, type PictureForm, rateOf } from './form.ts';
import { BARS, TONE } from './make.ts';

export type Shown = { readonly number: number; readonly patches: readonly (readonly number[])[] };
export type TimedFrame = Shown & { readonly at_s: number };

type Size = { readonly width: number; readonly height: number };

const fromGray = (gray: number): number => (gray === 0 ? 0 : gray ^ fromGray(gray >> 1));

/** The number and the colours of a frame in RGB. The number is -1 if a bar is neither black nor white. */
export const shownBy = (frame: Buffer, { width, height }: Size): Shown => {
  const grey = (bar: number): number => {
    const x = Math.floor(((bar + 0.5) * width) / BARS);
    const [r = 0, g = 0, b = 0] = colorAround(frame, width, x, Math.floor(height / 4), 2);
    return (r + g + b) / 3;
  };
  const [black, white] = [grey(0), grey(BARS - 1)];
  const parts = Array.from({ length: BARS - 2 }, (_, bit) => (grey(bit + 1) - black) / (white - black));
  const is_clear = white - black > 60 && parts.every((part) => part < 0.3 || part > 0.7);
  const gray = parts.reduce((sum, part, bit) => sum + (part > 0.5 ? 2 ** bit : 0), 0);
  const number = is_clear ? fromGray(gray) : -1;
  const y = Math.floor((height * 3) / 4);
  return { number, patches: [0.25, 0.75].map((x) => colorAround(frame, width, Math.floor(width * x), y, 5)) };
};

const ACCURATE = 'flags=accurate_rnd+full_chroma_int+bicubic';
const FROM_BT709 = `scale=in_color_matrix=bt709:in_range=tv:out_range=pc:${ACCURATE}`;

/** Filters that convert a source's pixels to RGB by its tags only. */
const toRgb = ({ colour, alpha }: PictureForm): readonly string[] => {
  const { matrix, full_range, primaries, hdr } = colour;
  const range = full_range ? 'pc' : 'tv';
  const pixels = alpha ? 'format=gbrap,format=rgba' : 'format=gbrp,format=rgb24';
  if (matrix === 'rgb') return [pixels];
  if (hdr !== null)
    return [
      `setparams=color_trc=${hdr}:colorspace=bt2020nc:color_primaries=${primaries}:range=${range}`,
      'zscale=transfer=linear:npl=100',
      'format=gbrpf32le',
      'zscale=primaries=bt709',
      'tonemap=hable:desat=0',
      ...(hdr === 'smpte2084' ? ['tonemap=mobius:param=0.75:peak=1.28:desat=0'] : []),
      'zscale=transfer=bt709:matrix=bt709:range=tv',
      'format=yuv444p10le',
      FROM_BT709,
      pixels,
    ];
  if (primaries === null) return [`scale=in_color_matrix=${matrix}:in_range=${range}:out_range=pc:${ACCURATE}`, pixels];
  const from = `pin=${primaries}:tin=iec61966-2-1:min=bt709:rin=tv`;
  return [
    `scale=in_color_matrix=${matrix}:in_range=${range}:out_color_matrix=bt709:out_range=tv:${ACCURATE}`,
    'format=yuv444p12le',
    `zscale=${from}:primaries=bt709:transfer=iec61966-2-1:matrix=bt709:range=tv`,
    FROM_BT709,
    pixels,
  ];
};

const overBlack = (pixels: Buffer): Buffer => {
  const over = Buffer.alloc((pixels.length / 4) * 3);
  for (let n = 0; n < pixels.length / 4; n += 1)
    for (let channel = 0; channel < 3; channel += 1)
      over[3 * n + channel] = Math.round(((pixels[4 * n + channel] ?? 0) * (pixels[4 * n + 3] ?? 0)) / 255);
  return over;
};

/** If picture and sound start within this time, the first frame starts the file, and earlier sound is priming. */
const MAX_PRIMING_S = 0.09;

/** The timestamp of the file's first frame in seconds, or of its first sample if it has only sound. */
export const startOf = async (path: string): Promise<number> => {
  const shown = [
    '-show_entries',
    'format=format_name,start_time:stream=codec_type,start_time:stream_disposition=attached_pic',
  ];
  const { stdout } = await execa(process.env.FFPROBE_PATH ?? 'ffprobe', ['-v', 'error', ...shown, '-of', 'json', path]);
  const { format, streams } = JSON.parse(stdout);
  const begins_s = Number(format.start_time) || 0;
  const starts_s = format.format_name === 'mpegts' ? begins_s : Math.max(0, begins_s);
  const seen = streams.find(
    (stream: { codec_type: string; disposition: { attached_pic: number } }) =>
      stream.codec_type === 'video' && stream.disposition.attached_pic === 0,
  );
  const seen_s = Number(seen?.start_time ?? starts_s) || 0;
  return seen_s > starts_s && seen_s - starts_s < MAX_PRIMING_S ? seen_s : starts_s;
};

/** Each frame of a source with its time, decoded by ffmpeg only; for an interlaced source, each visible field. */
export const sourceFrames = async (
  form: Form,
  picture: PictureForm,
  path: string,
  starts_s: number,
): Promise<readonly TimedFrame[]> => {
  const by_field = rateOf(form.composed_rate) * 1.01 > rateOf(picture.rate);
  const filters = [
    ...(picture.interlaced ? [`bwdif=mode=${by_field ? 'send_field' : 'send_frame'}`] : []),
    ...toRgb(picture),
    'showinfo',
  ];
  const { stdout, stderr } = await execa(
    process.env.FFMPEG_PATH ?? 'ffmpeg',
    [
      ...[
        '-nostats',
        '-copyts',
        ...(picture.decoder === null ? [] : ['-c:v', picture.decoder]),
        '-i',
        path,
        '-map',
        '0:V:0',
      ],
      ...['-vf', filters.join(','), '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 2 ** 30, stripFinalNewline: false },
  );
  const infos = [
    ...Buffer.from(stderr)
      .toString()
      .matchAll(/ n: *\d+ pts: *\S+ pts_time:(\S+) .* s:(\d+)x(\d+) /g),
  ];
  const size = { width: Number(infos[0]?.[2]), height: Number(infos[0]?.[3]) };
  const bytes = size.width * size.height * (picture.alpha ? 4 : 3);
  return infos.map(([, time], n) => {
    const pixels = Buffer.from(stdout.subarray(n * bytes, (n + 1) * bytes));
    return { ...shownBy(picture.alpha ? overBlack(pixels) : pixels, size), at_s: Number(time) - starts_s };
  });
};

export const filmFrames = async (file: string, size: Size): Promise<readonly Shown[]> =>
  (await framesOf(file, size.width, size.height)).map((frame) => shownBy(frame, size));

const RATE = 48_000;

/** The sound as 48 kHz stereo from the file's start; mono plays on both sides. */
export const sourceSound = async (form: Form, path: string, starts_s: number): Promise<Float32Array> => {
  const stereo =
    form.sound?.channels === 'mono'
      ? 'pan=stereo|c0=c0|c1=c0'
      : 'aformat=sample_fmts=fltp,aresample=ochl=stereo:osf=fltp';
  const chain = `asetpts=PTS-${starts_s}/TB,aresample=${RATE}:osf=fltp:async=1:min_hard_comp=0.01:first_pts=0,${stereo}`;
  const bytes = await ffmpeg('-copyts', '-i', path, '-map', '0:a:0', '-af', chain, '-f', 'f32le', '-');
  return new Float32Array(new Uint8Array(bytes).buffer);
};

const MIN_GAP_S = 0.04;

/** The first time after `from_s` at which either side exceeds half of the tone after a gap; null without one. */
export const onsetAfter = (samples: Float32Array, from_s: number): number | null => {
  const least = TONE.amplitude / 2;
  let quiet = 0;
  for (let n = Math.round(from_s * RATE); 2 * n < samples.length; n += 1) {
    const is_loud = Math.max(Math.abs(samples[2 * n] ?? 0), Math.abs(samples[2 * n + 1] ?? 0)) > least;
    if (is_loud && quiet >= MIN_GAP_S * RATE) return n / RATE;
    quiet = is_loud ? 0 : quiet + 1;
  }
  return null;
};

/** Levels of both sides between two times, in dB relative to full scale. */
export const levels = (samples: Float32Array, from_s: number, until_s: number): readonly number[] => [
  levelOf(samples, from_s, until_s),
  levelOf(samples.subarray(1), from_s, until_s),
];
