import { resolve } from 'node:path';

/** Containers that may be read; no playlists and no references to other files. */
export const ALLOWED_FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,asf,mp3,wav,flac,ogg,aac,amr,aiff,caf';
export const ONLY_FILES = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS] as const;

/** The largest single allocation that ffmpeg may make. */
export const MAX_ALLOCATION_BYTES = 2 ** 30;

/** A file as an entry of a concat list. Absolute: the demuxer resolves relative paths from the list's folder. */
export const listedFile = (path: string): string => `file '${resolve(path).replaceAll("'", "'\\''")}'`;

/** Absolute: programs run in other folders, and a path that begins with "-" would be an option. */
export const asPath = (path: string): string => resolve(path);

/**
 * Threads of each decoder and each sliced filter. By default each takes one for each core, and a process has many decoders
 * and filters.
 */
export const THREADS = 3;

/** Options that choose the decoder of a sound. More threads gain nothing, and there may be many files. */
export const SOUND_DECODER: readonly string[] = ['-threads', '1', '-vn', '-sn', '-dn'];

/** Options that choose the decoder of a video; null for ffmpeg's own choice. */
export const videoDecoder = (name: string | null): readonly string[] => [
  ...['-threads', String(THREADS)],
  ...(name === null ? [] : ['-c:v', name]),
];
