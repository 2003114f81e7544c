/** How a film's pixels are to be read, by the tags that its writer sets. */
export type Colour = {
  /** What its pixels are encoded by, and what a player without a tag takes. */
  readonly matrix: 'bt601' | 'bt709' | 'bt2020' | 'rgb';
  readonly full_range: boolean;
  /** By ffmpeg's names. Null: those of BT.709. */
  readonly primaries: string | null;
  readonly hdr: 'smpte2084' | 'arib-std-b67' | null;
  /** ffmpeg's arguments that write the tags. */
  readonly tags: readonly string[];
};

export type PictureForm = {
  /** Frames a second as they are drawn: of an interlaced film its fields. */
  readonly rate: string;
  readonly width: number;
  readonly height: number;
  /** Filters between the drawn frames and the encoder; the pixel format is the last of them. */
  readonly filters: readonly string[];
  readonly encoder: readonly string[];
  readonly colour: Colour;
  /** Half of its lower right quarter shows what is below. The decoder that gives alpha, or null: the usual one. */
  readonly alpha: boolean;
  readonly decoder: string | null;
  readonly interlaced: boolean;
  /** As the file says that it is turned, clockwise. */
  readonly turned: 0 | 90 | 180 | 270;
};

export type SoundForm = {
  readonly rate: number;
  readonly channels: 'mono' | 'stereo' | '5.1';
  readonly encoder: readonly string[];
  /** Its codec adds samples that not every file names. */
  readonly padded: boolean;
};

/** A file that others write, how ffmpeg makes it, and how a layer plays it. */
export type Form = {
  readonly name: string;
  /** Who writes such files. */
  readonly writer: string;
  readonly ending: string;
  readonly picture: PictureForm | null;
  readonly sound: SoundForm | null;
  /** ffmpeg's arguments after the encoders'. */
  readonly container: readonly string[];
  /** Inputs after those of the picture and the sound: a second sound, a cover, subtitles. */
  readonly inputs: readonly string[];
  /** Maps of those inputs, and what they need. */
  readonly maps: readonly string[];
  /** Runs of ffmpeg after the first one: IN and OUT name their files. */
  readonly rewrites: readonly (readonly string[])[];
  /** What is wrong in the header of a WAV file, as programs write it to a pipe. */
  readonly wav_sizes: 'zero' | 'largest' | null;
  /** The rate of the composition. */
  readonly composed_rate: string;
  readonly played: 'whole' | 'trimmed' | 'looped';
  /** Of a container that the service does not read: it must say so. */
  readonly refused: boolean;
  /** Why the engine fails with it at present; the bench fails if it does not. */
  readonly known: string | null;
};

/** Seconds that a form lasts: its picture by whole frames. */
export const LASTS_S = 1.2;
/** When the tone of a form stops, and when it begins again. */
export const GAP_S = { from: 0.65, until: 0.75 };
/** Where a trimmed form begins. */
export const TRIM_S = 0.5;

export const rateOf = (rate: string): number => {
  const [num = 1, den = 1] = rate.split('/').map(Number);
  return num / den;
};

export const framesOfForm = ({ rate }: PictureForm): number => Math.round(LASTS_S * rateOf(rate));
