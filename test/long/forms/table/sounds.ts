import type { Form, SoundForm } from '../form.ts';
import { form, H264, OPUS, picture, sound, VP9 } from './parts.ts';

const CHANNELS = ['mono', 'stereo', '5.1'] as const;

type Codec = readonly [name: string, encoder: readonly string[], padded?: boolean];

const AAC: Codec = ['AAC', ['-c:a', 'aac', '-b:a', '256k'], true];
const AC3: Codec = ['AC-3', ['-c:a', 'ac3', '-b:a', '448k'], true];
const E_AC3: Codec = ['E-AC-3', ['-c:a', 'eac3', '-b:a', '448k'], true];
const ALAC: Codec = ['ALAC', ['-c:a', 'alac']];
const FLAC: Codec = ['FLAC', ['-c:a', 'flac', '-strict', '-2']];
const MP3: Codec = ['MP3', ['-c:a', 'libmp3lame', '-b:a', '192k'], true];
const pcm = (format: string): Codec => [`PCM ${format}`, ['-c:a', `pcm_${format}`]];
const OPUS_CODEC: Codec = ['Opus', ['-c:a', 'libopus', '-b:a', '256k'], true];
const VORBIS: Codec = ['Vorbis', ['-c:a', 'libvorbis', '-q:a', '6'], true];

const BESIDE: readonly (readonly [
  ending: string,
  codec: Codec,
  rates: readonly number[],
  channels: readonly SoundForm['channels'][],
])[] = [
  ['mp4', AAC, [44_100, 48_000], CHANNELS],
  ['mp4', AC3, [48_000], ['stereo', '5.1']],
  ['mp4', E_AC3, [48_000], ['stereo', '5.1']],
  ['mp4', ALAC, [44_100, 48_000], ['stereo', '5.1']],
  ['mp4', FLAC, [48_000], ['stereo']],
  ['mp4', MP3, [44_100, 48_000], ['mono', 'stereo']],
  ['mp4', OPUS_CODEC, [48_000], CHANNELS],
  ['mov', AAC, [44_100, 48_000], CHANNELS],
  ['mov', ALAC, [44_100, 48_000], ['stereo']],
  ['mov', pcm('s16le'), [44_100, 48_000], CHANNELS],
  ['mov', pcm('s16be'), [48_000], ['stereo']],
  ['mov', pcm('s24le'), [48_000, 96_000], ['stereo']],
  ['mov', pcm('f32le'), [48_000], ['stereo']],
  ['mov', pcm('mulaw'), [8000], ['mono']],
  ['mkv', AAC, [44_100, 48_000], CHANNELS],
  ['mkv', AC3, [48_000], ['stereo', '5.1']],
  ['mkv', E_AC3, [48_000], ['5.1']],
  ['mkv', FLAC, [44_100, 48_000], CHANNELS],
  ['mkv', MP3, [44_100], ['stereo']],
  ['mkv', OPUS_CODEC, [48_000], CHANNELS],
  ['mkv', VORBIS, [44_100, 48_000], CHANNELS],
  ['mkv', pcm('s16le'), [48_000], ['stereo', '5.1']],
  ['mkv', pcm('s24le'), [48_000], ['stereo']],
  ['ts', AAC, [44_100, 48_000], CHANNELS],
  ['ts', AC3, [48_000], ['stereo', '5.1']],
  ['ts', OPUS_CODEC, [48_000], ['stereo']],
  ['avi', pcm('s16le'), [44_100, 48_000], ['mono', 'stereo']],
  ['avi', pcm('u8'), [11_025], ['mono']],
  ['avi', ['ADPCM', ['-c:a', 'adpcm_ima_wav'], true], [22_050], ['mono']],
];

const beside = (): readonly Form[] =>
  BESIDE.flatMap(([ending, [name, encoder, padded = false], rates, channels]) =>
    rates.flatMap((rate) =>
      channels.map((layout) =>
        form(
          `${name} ${rate} ${layout} beside H.264 in ${ending.toUpperCase()}`,
          'cameras, editors and streams',
          ending,
          {
            picture: picture(ending === 'avi' ? [...H264, '-bf', '0'] : H264),
            sound: sound(encoder, { rate, channels: layout, padded }),
          },
        ),
      ),
    ),
  );

const alone = (name: string, writer: string, ending: string, heard: SoundForm, parts: Partial<Form> = {}): Form =>
  form(name, writer, ending, { picture: null, sound: heard, ...parts });

const WAV_FORMATS = ['s16le', 's24le', 's32le', 'f32le', 'f64le', 'u8', 'mulaw', 'alaw'] as const;

const wavs = (): readonly Form[] => [
  ...[8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000].flatMap((rate) =>
    (['mono', 'stereo'] as const).map((channels) =>
      alone(
        `WAV ${rate} ${channels}`,
        rate < 32_000 ? 'TTS services' : 'recorders',
        'wav',
        sound(['-c:a', 'pcm_s16le'], { rate, channels }),
      ),
    ),
  ),
  ...WAV_FORMATS.map((format) =>
    alone(
      `WAV ${format} at 8000`,
      'telephony and TTS services',
      'wav',
      sound(['-c:a', `pcm_${format}`], { rate: 8000, channels: 'mono' }),
    ),
  ),
  ...(['s24le', 'f32le'] as const).flatMap((format) =>
    (['stereo', '5.1'] as const).map((channels) =>
      alone(
        `WAV ${format} at 48000 ${channels}`,
        'audio workstations',
        'wav',
        sound(['-c:a', `pcm_${format}`], { channels }),
      ),
    ),
  ),
  ...(['zero', 'largest'] as const).flatMap((wav_sizes) =>
    [16_000, 24_000].map((rate) =>
      alone(
        `WAV ${rate} with sizes of ${wav_sizes}`,
        'TTS services that stream',
        'wav',
        sound(['-c:a', 'pcm_s16le'], { rate, channels: 'mono' }),
        { wav_sizes },
      ),
    ),
  ),
  alone('WAV of 64 bits', 'recorders', 'wav', sound(['-c:a', 'pcm_s16le']), { container: ['-rf64', 'always'] }),
  alone('WAV of broadcast with text before the samples', 'recorders', 'wav', sound(['-c:a', 'pcm_s24le']), {
    container: ['-write_bext', '1', '-metadata', 'description=take 1'],
  }),
];

const lame = (...options: readonly string[]): readonly string[] => ['-c:a', 'libmp3lame', ...options];

const mp3s = (): readonly Form[] => [
  ...[8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].flatMap((rate) =>
    [
      ['-write_xing', '1'],
      ['-write_xing', '0', '-id3v2_version', '0'],
    ].map((container, plain) =>
      alone(
        `MP3 ${rate} mono ${plain === 0 ? 'with' : 'without'} a Xing header`,
        'TTS services',
        'mp3',
        sound(lame('-b:a', rate < 16_000 ? '32k' : '64k'), { rate, channels: 'mono', padded: true }),
        { container },
      ),
    ),
  ),
  ...[44_100, 48_000].flatMap((rate) =>
    [
      ['of 320 kbit/s', lame('-b:a', '320k')],
      ['of variable bit rate', lame('-q:a', '2')],
      ['of average bit rate', lame('-abr', '1', '-b:a', '160k')],
      ['of joint stereo without a reservoir', lame('-b:a', '192k', '-reservoir', '0')],
    ].map(([name, encoder]) =>
      alone(
        `MP3 ${rate} stereo ${name}`,
        'music libraries',
        'mp3',
        sound(encoder as readonly string[], { rate, padded: true }),
      ),
    ),
  ),
  alone(
    'MP3 of variable bit rate without a Xing header',
    'recorders',
    'mp3',
    sound(lame('-q:a', '4'), { rate: 44_100, padded: true }),
    {
      container: ['-write_xing', '0'],
    },
  ),
  alone('MP3 with a cover', 'music libraries', 'mp3', sound(lame('-b:a', '192k'), { rate: 44_100, padded: true }), {
    inputs: ['-f', 'lavfi', '-i', 'color=c=red:s=64x64:r=1:d=1'],
    maps: ['-map', '1:v', '-c:v', 'mjpeg', '-frames:v', '1', '-disposition:v', 'attached_pic', '-pix_fmt', 'yuvj420p'],
  }),
];

const libopus = (...options: readonly string[]): readonly string[] => ['-c:a', 'libopus', ...options];

const others = (): readonly Form[] => [
  ...[8000, 12_000, 16_000, 24_000, 48_000].flatMap((rate) =>
    (['mono', 'stereo'] as const).map((channels) =>
      alone(
        `Ogg Opus ${rate} ${channels}`,
        'TTS services and messengers',
        'ogg',
        sound(libopus('-b:a', '64k'), { rate, channels, padded: true }),
      ),
    ),
  ),
  ...[20, 60].map((length) =>
    alone(
      `Ogg Opus of voice in frames of ${length} ms`,
      'messengers',
      'ogg',
      sound(libopus('-b:a', '32k', '-application', 'voip', '-frame_duration', String(length)), {
        rate: 16_000,
        channels: 'mono',
        padded: true,
      }),
    ),
  ),
  alone('Ogg Opus 5.1', 'editors', 'opus', sound(libopus('-b:a', '256k'), { channels: '5.1', padded: true })),
  ...(['mono', 'stereo'] as const).map((channels) =>
    alone(
      `WebM Opus ${channels}`,
      'MediaRecorder of browsers',
      'webm',
      sound(libopus('-b:a', '96k'), { channels, padded: true }),
      { container: ['-live', '1'] },
    ),
  ),
  ...[22_050, 44_100, 48_000].map((rate) =>
    alone(
      `Ogg Vorbis ${rate}`,
      'games and sites',
      'ogg',
      sound(['-c:a', 'libvorbis', '-q:a', '6'], { rate, padded: true }),
    ),
  ),
  ...[16_000, 44_100, 48_000, 96_000].map((rate) =>
    alone(`FLAC ${rate}`, 'music libraries', 'flac', sound(['-c:a', 'flac'], { rate })),
  ),
  alone('FLAC of 24 bits', 'music libraries', 'flac', sound(['-c:a', 'flac', '-sample_fmt', 's32'])),
  alone('FLAC in Ogg', 'archives', 'oga', sound(['-c:a', 'flac'])),
  ...[16_000, 22_050, 24_000, 44_100, 48_000].flatMap((rate) =>
    (['m4a', 'aac'] as const).map((ending) =>
      alone(
        `AAC ${rate} in ${ending === 'aac' ? 'ADTS' : 'M4A'}`,
        'TTS services and voice memos',
        ending,
        sound(['-c:a', 'aac', '-b:a', '96k'], { rate, channels: 'mono', padded: true }),
      ),
    ),
  ),
  alone('AAC in fragments', 'streams', 'm4a', sound(['-c:a', 'aac', '-b:a', '128k'], { padded: true }), {
    container: ['-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov'],
  }),
  alone('ALAC in M4A', 'music libraries', 'm4a', sound(['-c:a', 'alac'], { rate: 44_100 })),
  alone('ALAC of 24 bits in M4A', 'music libraries', 'm4a', sound(['-c:a', 'alac', '-sample_fmt', 's32p'])),
  alone('AIFF', 'audio workstations', 'aiff', sound(['-c:a', 'pcm_s16be'], { rate: 44_100 })),
  alone('AIFF of 24 bits', 'audio workstations', 'aiff', sound(['-c:a', 'pcm_s24be'])),
  alone('CAF', 'iOS apps', 'caf', sound(['-c:a', 'pcm_s16le'])),
  alone('CAF of ALAC', 'iOS apps', 'caf', sound(['-c:a', 'alac'])),
  alone('AU of mu-law', 'telephony', 'au', sound(['-c:a', 'pcm_mulaw'], { rate: 8000, channels: 'mono' })),
  alone('AC-3 alone', 'discs', 'ac3', sound(['-c:a', 'ac3', '-b:a', '448k'], { channels: '5.1', padded: true })),
  alone('MP2 alone', 'broadcast', 'mp2', sound(['-c:a', 'mp2', '-b:a', '192k'], { padded: true })),
  alone('WMA', 'Windows recorders', 'wma', sound(['-c:a', 'wmav2', '-b:a', '128k'], { rate: 44_100, padded: true })),
  alone('GSM in WAV', 'telephony', 'wav', sound(['-c:a', 'libgsm_ms'], { rate: 8000, channels: 'mono', padded: true })),
  alone(
    'ADPCM in WAV',
    'telephony',
    'wav',
    sound(['-c:a', 'adpcm_ms'], { rate: 22_050, channels: 'mono', padded: true }),
  ),
  alone('G.722 in WAV', 'telephony', 'wav', sound(['-c:a', 'g722'], { rate: 16_000, channels: 'mono', padded: true })),
  form('the sound of a film of VP9 given as WebM', 'browsers', 'webm', { picture: picture(VP9), sound: OPUS }),
];

export const SOUNDS: readonly Form[] = [...beside(), ...wavs(), ...mp3s(), ...others()];
