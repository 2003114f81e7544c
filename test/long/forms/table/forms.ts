import type { Form } from '../form.ts';
import { COLOURED } from './colours.ts';
import { FILMS } from './films.ts';
import { KNOWN } from './known.ts';
import { SOUNDS } from './sounds.ts';
import { TRACKS } from './tracks.ts';

/** Forms that are also trimmed and looped. */
const PLAYED_OTHERWISE = [
  ...['H.264 in MP4 at 25', 'H.264 in MOV at 29.97', 'H.264 in fragmented MP4 at 30', 'H.264 in MKV at 23.976'],
  ...[
    'H.264 in TS at 50',
    'H.264 of the time scale 600 at 30',
    'H.264, open groups, in MP4',
    'H.264, long groups, in MKV',
  ],
  ...[
    'HEVC, 10 bits, in MOV at 29.97',
    'VP8 and Opus in WebM at 30',
    'VP9 and Opus in WebM at 24',
    'AV1 and AAC in MP4 at 60',
  ],
  ...[
    'MPEG-4 in AVI at 25',
    'WMV 2 in WMV at 25',
    'MPEG-2 in MPG at 25',
    'MPEG-2 in TS at 29.97',
    'ProRes 422 at 23.976',
  ],
  ...['VP8 of MediaRecorder, without a length, in WEBM', 'H.264 in MOV, turned by 90', 'VP9 with alpha in WEBM'],
  ...['variable rate, a pause, in MP4, shown at 30', 'FLAC 48000', 'WAV 24000 mono', 'Ogg Opus 24000 mono', 'AIFF'],
  ...['MP3 24000 mono with a Xing header', 'MP3 24000 mono without a Xing header', 'Ogg Vorbis 44100'],
  ...['AAC 44100 in M4A', 'AAC 44100 in ADTS', 'WAV 16000 with sizes of zero'],
];

const otherwise = (forms: readonly Form[]): readonly Form[] =>
  forms
    .filter(({ name }) => PLAYED_OTHERWISE.includes(name))
    .flatMap((form) =>
      (['trimmed', 'looped'] as const).map((played) => ({ ...form, name: `${form.name}, ${played}`, played })),
    );

const withKnown = (forms: readonly Form[]): readonly Form[] =>
  [...forms, ...otherwise(forms)].map((form) => ({ ...form, known: KNOWN.get(form.name) ?? null }));

export const FORMS: Readonly<Record<'films' | 'others', readonly Form[]>> = {
  films: withKnown(FILMS),
  others: withKnown([...SOUNDS, ...COLOURED, ...TRACKS]),
};
