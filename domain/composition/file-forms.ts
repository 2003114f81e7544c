import type { AssetKind } from './assets.ts';

export type FileFormat = {
  readonly kind: AssetKind;
  readonly name: string;
  readonly endings: readonly string[];
  readonly content_type: string;
};

export const FILE_FORMATS: readonly FileFormat[] = [
  { kind: 'image', name: 'PNG', endings: ['.png', '.apng'], content_type: 'image/png' },
  { kind: 'image', name: 'JPEG', endings: ['.jpg', '.jpeg', '.jfif'], content_type: 'image/jpeg' },
  { kind: 'image', name: 'WebP', endings: ['.webp'], content_type: 'image/webp' },
  { kind: 'image', name: 'GIF', endings: ['.gif'], content_type: 'image/gif' },
  { kind: 'image', name: 'SVG', endings: ['.svg'], content_type: 'image/svg+xml' },
  { kind: 'image', name: 'AVIF', endings: ['.avif'], content_type: 'image/avif' },
  { kind: 'image', name: 'TIFF', endings: ['.tif', '.tiff'], content_type: 'image/tiff' },
  { kind: 'video', name: 'MP4', endings: ['.mp4', '.m4v'], content_type: 'video/mp4' },
  { kind: 'video', name: 'QuickTime', endings: ['.mov'], content_type: 'video/quicktime' },
  { kind: 'video', name: 'WebM', endings: ['.webm'], content_type: 'video/webm' },
  { kind: 'video', name: 'Matroska', endings: ['.mkv'], content_type: 'video/x-matroska' },
  { kind: 'video', name: 'AVI', endings: ['.avi'], content_type: 'video/x-msvideo' },
  { kind: 'video', name: 'MPEG-TS', endings: ['.ts', '.mts', '.m2ts'], content_type: 'video/mp2t' },
  { kind: 'video', name: '3GPP', endings: ['.3gp', '.3g2'], content_type: 'video/3gpp' },
  { kind: 'video', name: 'Windows Media', endings: ['.wmv', '.asf'], content_type: 'video/x-ms-wmv' },
  { kind: 'audio', name: 'MP3', endings: ['.mp3'], content_type: 'audio/mpeg' },
  { kind: 'audio', name: 'M4A', endings: ['.m4a', '.m4b'], content_type: 'audio/mp4' },
  { kind: 'audio', name: 'AAC', endings: ['.aac'], content_type: 'audio/aac' },
  { kind: 'audio', name: 'WAV', endings: ['.wav'], content_type: 'audio/wav' },
  { kind: 'audio', name: 'FLAC', endings: ['.flac'], content_type: 'audio/flac' },
  { kind: 'audio', name: 'Ogg', endings: ['.ogg', '.oga', '.opus'], content_type: 'audio/ogg' },
  { kind: 'audio', name: 'WebM', endings: ['.weba'], content_type: 'audio/webm' },
  { kind: 'audio', name: 'Windows Media', endings: ['.wma'], content_type: 'audio/x-ms-wma' },
  { kind: 'audio', name: 'AMR', endings: ['.amr'], content_type: 'audio/amr' },
  { kind: 'audio', name: 'AIFF', endings: ['.aif', '.aiff'], content_type: 'audio/aiff' },
  { kind: 'audio', name: 'Core Audio', endings: ['.caf'], content_type: 'audio/x-caf' },
  { kind: 'font', name: 'TrueType', endings: ['.ttf'], content_type: 'font/ttf' },
  { kind: 'font', name: 'OpenType', endings: ['.otf'], content_type: 'font/otf' },
];

export const FILE_REMEDIES = {
  encrypted: 'use a copy without protection',
  heic: 'convert it to JPEG, PNG or AVIF',
  incomplete: 'copy or download it again',
  lottie: 'export it as a video, or as GIF or WebP',
  midi: 'export it as WAV or MP3',
  page: 'download the file itself',
  pdf: 'export the page as SVG or PNG',
  photoshop: 'export it as PNG',
} as const;

const HEIC = `is HEIC, which cannot be decoded here: ${FILE_REMEDIES.heic}`;

const REMEDIES: Readonly<Record<string, string>> = {
  '.heic': HEIC,
  '.heif': HEIC,
  '.psd': `is a Photoshop document: ${FILE_REMEDIES.photoshop}`,
  '.ai': 'is an Illustrator document: export it as SVG or PNG',
  '.pdf': `is a PDF: ${FILE_REMEDIES.pdf}`,
  '.bmp': 'is a BMP: convert it to PNG',
  '.ico': 'is an icon: convert it to PNG',
  '.json': `may be a Lottie animation, which is not supported: ${FILE_REMEDIES.lottie}`,
  '.flv': 'is Flash video: convert it to MP4 (H.264)',
  '.mpg': 'is an MPEG programme stream: convert it to MP4 (H.264)',
  '.mpeg': 'is an MPEG programme stream: convert it to MP4 (H.264)',
  '.ogv': 'is Ogg video: convert it to MP4 (H.264) or WebM',
  '.mid': `is a MIDI file, which has notes but no sound: ${FILE_REMEDIES.midi}`,
  '.m4p': `is copy-protected: ${FILE_REMEDIES.encrypted}`,
  '.woff': 'is a font for web pages: convert it to TTF or OTF',
  '.woff2': 'is a font for web pages: convert it to TTF or OTF',
  '.ttc': 'is a font collection: extract one font as TTF or OTF',
};

const endingOf = (file: string): string => /\.[^./\\]+$/.exec(file)?.[0].toLowerCase() ?? '';

export const fileFormatOf = (file: string): FileFormat | undefined => {
  const ending = endingOf(file);
  return FILE_FORMATS.find(({ endings }) => endings.includes(ending));
};

export const fileExtensionsOf = (kind: AssetKind): string =>
  FILE_FORMATS.filter((form) => form.kind === kind)
    .flatMap(({ endings }) => endings)
    .join(' ');

/** An audio layer may use the sound of a video. */
const canBe = (kind: AssetKind, form: FileFormat): boolean =>
  form.kind === kind || (kind === 'audio' && form.kind === 'video');

/** The content type of a stored file; null if its ending is unknown or belongs to another kind. */
export const contentTypeOf = (file: string, kind: AssetKind): string | null => {
  const form = fileFormatOf(file);
  return form !== undefined && canBe(kind, form) ? form.content_type : null;
};

const UNKNOWN_TYPE = 'application/octet-stream';

/** @param format as the signature of the bytes names it @returns the general type for an unknown format */
export const contentTypeOfFormat = (format: string, kind: AssetKind): string =>
  FILE_FORMATS.find((form) => form.name === format && canBe(kind, form))?.content_type ?? UNKNOWN_TYPE;

/** A message that follows the file name; undefined if the ending has no entry. */
export const fileRemedy = (file: string): string | undefined => REMEDIES[endingOf(file)];

export const extensionFault = (file: string, kind: AssetKind): string => {
  const remedy = fileRemedy(file);
  if (remedy !== undefined) return remedy;
  const form = fileFormatOf(file);
  const article = kind === 'video' || kind === 'font' ? 'a' : 'an';
  const also = kind === 'audio' ? ', or the extension of a video' : '';
  const such = `does not have the extension of ${article} ${kind} (${fileExtensionsOf(kind)}${also})`;
  return form === undefined ? `${such}; convert it` : `${such}; convert it, or change its kind to "${form.kind}"`;
};
