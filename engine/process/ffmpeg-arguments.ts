import { resolve } from 'node:path';

/** Containers that ffmpeg may read. Playlists and other formats that refer to further files are excluded. */
export const ALLOWED_FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,asf,mp3,wav,flac,ogg,aac,amr,aiff,caf';
export const ONLY_FILES = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS] as const;

/** The largest single allocation that ffmpeg may make. */
export const MAX_ALLOCATION_BYTES = 2 ** 30;

/** An entry of a concat list. The path is absolute: the demuxer resolves relative paths from the list's folder. */
export const concatEntry = (path: string): string => `file '${resolve(path).replaceAll("'", "'\\''")}'`;

/** Makes a path absolute: programs run in other folders, and ffmpeg reads a path that begins with "-" as an option. */
export const asPath = (path: string): string => resolve(path);

/**
 * Threads of each decoder and each sliced filter. The default is one per core for each, and a process has many of them.
 */
export const THREADS = 3;

/** Options that select an audio decoder. It has one thread: more gain nothing, and there may be many files. */
export const SOUND_DECODER: readonly string[] = ['-threads', '1', '-vn', '-sn', '-dn'];

/** Options that select a video decoder. Null selects ffmpeg's default. */
export const videoDecoder = (name: string | null): readonly string[] => [
  ...['-threads', String(THREADS)],
  ...(name === null ? [] : ['-c:v', name]),
];
