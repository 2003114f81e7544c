import type { Schemas } from '../api/client.ts';

export type MediaKind = 'image' | 'video' | 'audio';
type ContentType = Schemas['ContentType'];

/** By the ending of the name. Browsers know few types of files, and systems disagree about them. */
const TYPES: Readonly<Record<string, ContentType>> = {
  ...{ png: 'image/png', apng: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', jfif: 'image/jpeg' },
  ...{ webp: 'image/webp', gif: 'image/gif', svg: 'image/svg+xml', avif: 'image/avif' },
  ...{ tif: 'image/tiff', tiff: 'image/tiff', mp4: 'video/mp4', m4v: 'video/mp4', mov: 'video/quicktime' },
  ...{ webm: 'video/webm', mkv: 'video/x-matroska', avi: 'video/x-msvideo', ts: 'video/mp2t', mts: 'video/mp2t' },
  ...{ m2ts: 'video/mp2t', '3gp': 'video/3gpp', '3g2': 'video/3gpp', wmv: 'video/x-ms-wmv', asf: 'video/x-ms-wmv' },
  ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', m4b: 'audio/mp4', aac: 'audio/aac', wav: 'audio/wav' },
  ...{ flac: 'audio/flac', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', weba: 'audio/webm' },
  ...{ wma: 'audio/x-ms-wma', amr: 'audio/amr', aif: 'audio/aiff', aiff: 'audio/aiff', caf: 'audio/x-caf' },
  ...{ ttf: 'font/ttf', otf: 'font/otf' },
};

/** Null if the service does not take such files. */
export const contentTypeOf = (name: string): ContentType | null => {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? null) : null;
};

/** For the `accept` of an input: all endings of files of the kind. */
export const acceptedFiles = (kind: MediaKind): string =>
  Object.entries(TYPES)
    .flatMap(([ending, type]) => (type.startsWith(`${kind}/`) ? [`.${ending}`] : []))
    .join(',');

const HINTS: Readonly<Record<string, string>> = {
  heic: 'Convert it to JPEG, PNG or AVIF.',
  heif: 'Convert it to JPEG, PNG or AVIF.',
  psd: 'Export it as PNG.',
  pdf: 'Export the page as SVG or PNG.',
};

const WANTED: Readonly<Record<MediaKind, string>> = {
  image: 'Choose a picture, for example JPEG, PNG or SVG.',
  video: 'Choose a video, for example MP4 or WebM.',
  audio: 'Choose a sound, for example MP3 or WAV.',
};

/** Why a file cannot be a value of this kind, as a sentence; null if it may be one. */
export const fileFault = (kind: MediaKind, { name, size }: Pick<File, 'name' | 'size'>): string | null => {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (size === 0) return 'The file is empty.';
  if (contentTypeOf(name)?.startsWith(`${kind}/`) === true) return null;
  return `“${name}” cannot be used here. ${HINTS[ending] ?? WANTED[kind]}`;
};
