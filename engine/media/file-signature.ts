import { FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import { fileHead } from '../../platform/process/file-head.ts';

/** `name` is worded for a message. */
export type FileSignature = {
  readonly name: string;
  readonly is: 'image' | 'video' | 'audio' | 'empty' | 'other';
  /** Advice for the user if no file of this type is accepted. */
  readonly remedy?: string;
};

const HEAD_BYTES = 4096;

/** Brands of HEIF files with HEVC images. Phones write them, and few other programs read them. */
const HEIC = /^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/;

const brandSignature = (brand: string): FileSignature => {
  if (HEIC.test(brand)) return { name: 'HEIC', is: 'image' };
  if (brand.startsWith('avif') || brand.startsWith('avis')) return { name: 'AVIF', is: 'image' };
  return brand.startsWith('M4A') ? { name: 'M4A', is: 'audio' } : { name: 'MP4', is: 'video' };
};

const MAGIC_NUMBERS: readonly (readonly [string, FileSignature])[] = [
  ['89504e470d0a1a0a', { name: 'PNG', is: 'image' }],
  ['ffd8ff', { name: 'JPEG', is: 'image' }],
  ['47494638', { name: 'GIF', is: 'image' }],
  ['49492a00', { name: 'TIFF', is: 'image' }],
  ['4d4d002a', { name: 'TIFF', is: 'image' }],
  ['1a45dfa3', { name: 'WebM or Matroska', is: 'video' }],
  ['494433', { name: 'MP3', is: 'audio' }],
  ...['fffb', 'fffa', 'fff3', 'fff2'].map((magic): readonly [string, FileSignature] => [
    magic,
    { name: 'MP3', is: 'audio' },
  ]),
  ...['fff1', 'fff9'].map((magic): readonly [string, FileSignature] => [magic, { name: 'AAC', is: 'audio' }]),
  ['4f676753', { name: 'Ogg', is: 'audio' }],
  ['0b77', { name: 'AC-3', is: 'audio' }],
  ['7776706b', { name: 'WavPack', is: 'audio' }],
  ['4d414320', { name: "Monkey's Audio", is: 'audio' }],
  ['2e736e64', { name: 'AU', is: 'audio' }],
  ['72696666', { name: 'Wave64', is: 'audio' }],
  ['4d546864', { name: 'MIDI', is: 'other', remedy: FILE_REMEDIES.midi }],
  ['664c6143', { name: 'FLAC', is: 'audio' }],
  ['1f8b', { name: 'compressed (gzip)', is: 'other', remedy: 'unpack it' }],
  ['504b0304', { name: 'an archive (ZIP)', is: 'other', remedy: 'unpack it' }],
  ['526172211a07', { name: 'an archive (RAR)', is: 'other', remedy: 'unpack it' }],
  ['377abcaf271c', { name: 'an archive (7-Zip)', is: 'other', remedy: 'unpack it' }],
  ['d0cf11e0', { name: 'an Office document', is: 'other', remedy: 'export what it shows' }],
  ['25504446', { name: 'PDF', is: 'other', remedy: FILE_REMEDIES.pdf }],
  ['38425053', { name: 'a Photoshop document', is: 'other', remedy: FILE_REMEDIES.photoshop }],
  ['424d', { name: 'BMP', is: 'image' }],
  ['3026b275', { name: 'Windows Media', is: 'video' }],
  ['464f524d', { name: 'AIFF', is: 'audio' }],
  ['2321414d52', { name: 'AMR', is: 'audio' }],
  ['63616666', { name: 'Core Audio', is: 'audio' }],
  ['464c56', { name: 'Flash video', is: 'video' }],
  ['000001ba', { name: 'an MPEG programme stream', is: 'video' }],
  ['060e2b34', { name: 'MXF', is: 'video' }],
  ['2e524d46', { name: 'RealMedia', is: 'video' }],
];

const TEXT_PATTERNS: readonly (readonly [RegExp, FileSignature])[] = [
  [
    /^version https:\/\/git-lfs/,
    { name: 'a Git LFS pointer', is: 'other', remedy: 'fetch the file itself with "git lfs pull"' },
  ],
  [/^\[InternetShortcut\]/, { name: 'a link', is: 'other', remedy: FILE_REMEDIES.page }],
  [/^\s*(<\?xml[^>]*>\s*)?<Error>/, { name: "a server's error message", is: 'other', remedy: FILE_REMEDIES.page }],
  [/^\s*#EXTM3U/, { name: 'a playlist (HLS)', is: 'other', remedy: 'use the video that it lists' }],
  [/^\s*ffconcat\b/, { name: 'a list of files', is: 'other', remedy: 'use a file that it lists' }],
  [/^\s*<(!doctype html|html|head|body)/i, { name: 'a web page (HTML)', is: 'other', remedy: FILE_REMEDIES.page }],
  [/^\s*\{\s*"v"\s*:\s*"/, { name: 'a Lottie animation', is: 'other', remedy: FILE_REMEDIES.lottie }],
  [/^\s*[{[]\s*["{[]/, { name: 'JSON', is: 'other', remedy: FILE_REMEDIES.page }],
  [/<svg[\s>]/i, { name: 'SVG', is: 'image' }],
];

const headSignature = (head: Buffer): FileSignature | null => {
  if (head.length === 0) return { name: 'empty', is: 'empty' };
  if (head.every((byte) => byte === 0))
    return { name: 'filled with zeros', is: 'other', remedy: FILE_REMEDIES.incomplete };
  const text = head.toString('latin1');
  if (text.slice(4, 8) === 'ftyp') return brandSignature(text.slice(8, 12));
  if (text.startsWith('RIFF')) {
    if (text.slice(8, 12) === 'WEBP') return { name: 'WebP', is: 'image' };
    return text.slice(8, 12) === 'WAVE' ? { name: 'WAV', is: 'audio' } : { name: 'AVI', is: 'video' };
  }
  const hex = head.toString('hex', 0, 16);
  return (
    MAGIC_NUMBERS.find(([magic]) => hex.startsWith(magic))?.[1] ??
    TEXT_PATTERNS.find(([pattern]) => pattern.test(text.replace(/^\u00ef\u00bb\u00bf/, '')))?.[1] ??
    null
  );
};

/** Null for an unknown signature. Only for messages and refusals, because the decoder decides what a file is. */
export const signatureOf = async (path: string): Promise<FileSignature | null> =>
  headSignature(await fileHead(path, HEAD_BYTES));
