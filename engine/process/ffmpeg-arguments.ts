import { resolve } from 'node:path';

/** Playlists and other formats that refer to further files are excluded. */
export const ALLOWED_FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,asf,mp3,wav,flac,ogg,aac,amr,aiff,caf';
export const LOCAL_FILE_OPTIONS = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS] as const;

export const MAX_ALLOCATION_BYTES = 2 ** 30;

/** The demuxer would resolve a relative path from the list's folder. */
export const concatEntry = (path: string): string => `file '${resolve(path).replaceAll("'", "'\\''")}'`;

/** Programs run in other folders, and ffmpeg reads a path that begins with "-" as an option. */
export const absolutePath = (path: string): string => resolve(path);

/**
 * Threads of each decoder and sliced filter. By default each has one thread per core, and a process has many of them.
 */
export const DECODER_THREADS = 3;

/** An audio decoder has one thread: more gain nothing, and there may be many files. */
export const SOUND_DECODER_OPTIONS: readonly string[] = ['-threads', '1', '-vn', '-sn', '-dn'];

export const videoDecoderOptions = (name: string | null): readonly string[] => [
  ...['-threads', String(DECODER_THREADS)],
  ...(name === null ? [] : ['-c:v', name]),
];
