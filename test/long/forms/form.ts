export type Colour = {
  /** The matrix of the encoding, which is also a player's default without a tag. */
  readonly matrix: 'bt601' | 'bt709' | 'bt2020' | 'rgb';
  readonly full_range: boolean;
  /** The primaries by ffmpeg's names; null means BT.709. */
  readonly primaries: string | null;
  readonly hdr: 'smpte2084' | 'arib-std-b67' | null;
  readonly tags: readonly string[];
};

export type PictureForm = {
  /** Frames per second as drawn; for an interlaced film, fields per second. */
  readonly rate: string;
  readonly width: number;
  readonly height: number;
  /** Filters between the drawn frames and the encoder, of which the last sets the pixel format. */
  readonly filters: readonly string[];
  readonly encoder: readonly string[];
  readonly colour: Colour;
  /**
   * `alpha`: half of the picture's lower right quarter is transparent. `decoder`: the decoder that keeps it; null means
   * the usual one.
   */
  readonly alpha: boolean;
  readonly decoder: string | null;
  readonly interlaced: boolean;
  /** The clockwise rotation in the file's tag. */
  readonly turned: 0 | 90 | 180 | 270;
};

export type SoundForm = {
  readonly rate: number;
  readonly channels: 'mono' | 'stereo' | '5.1';
  readonly encoder: readonly string[];
  /** Whether the codec adds samples that not every container declares. */
  readonly padded: boolean;
};

/** A file format of another program: how ffmpeg creates it, and how a layer plays it. */
export type Form = {
  readonly name: string;
  readonly writer: string;
  readonly ending: string;
  readonly picture: PictureForm | null;
  readonly sound: SoundForm | null;
  readonly container: readonly string[];
  /** Inputs after the picture and the sound: a second sound, a cover, subtitles. */
  readonly inputs: readonly string[];
  /** Maps of those inputs and their options. */
  readonly maps: readonly string[];
  /** Further runs of ffmpeg; IN and OUT name their files. */
  readonly rewrites: readonly (readonly string[])[];
  /** The wrong sizes in the header of a WAV file, as programs write them to a pipe. */
  readonly wav_sizes: 'zero' | 'largest' | null;
  readonly composed_rate: string;
  readonly played: 'whole' | 'trimmed' | 'looped';
  /** Whether the service must refuse the container. */
  readonly refused: boolean;
  /**
   * The reason why the engine currently fails with the form; null if it succeeds. The test fails if the engine succeeds
   * nevertheless.
   */
  readonly known: string | null;
};

/** The duration of a form in seconds; its picture lasts whole frames. */
export const LASTS_S = 1.2;
export const GAP_S = { from: 0.65, until: 0.75 };
export const TRIM_S = 0.5;

export const rateOf = (rate: string): number => {
  const [num = 1, den = 1] = rate.split('/').map(Number);
  return num / den;
};

export const framesOfForm = ({ rate }: PictureForm): number => Math.round(LASTS_S * rateOf(rate));
