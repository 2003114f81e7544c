import { resolve } from 'node:path';

/** Containers that may be read; the file alone, so that no playlist or reference leads anywhere else. */
export const ALLOWED_FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,mp3,wav,flac,ogg,aac';
export const ONLY_FILES = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS] as const;

/** A file's path as an entry of a concat list has it. The demuxer takes a relative one to begin at the list. */
export const listedFile = (path: string): string => `file '${resolve(path).replaceAll("'", "'\\''")}'`;

/** Whole: programs run in folders of their own, and a path that begins with "-" would be read as an option. */
export const asPath = (path: string): string => resolve(path);

/**
 * Of each decoder, and of each filter that works on parts of a picture; left to themselves they take as many as there are
 * cores, and a process has very many of them.
 */
export const THREADS = 3;
