import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toolFolder } from './tools.ts';

export type JavaServer = 'kafka' | 'registry';

/** The file with the parsed classes that a server loads at its start. It halves the start time. */
export const archiveFile = (server: JavaServer, folder: string = toolFolder('class-archives')): string =>
  join(folder, `${server}.jsa`);

/** Flags that make Java use the archive. Java ignores an archive of another Java version. */
export const archiveFlags = (server: JavaServer): readonly string[] =>
  existsSync(archiveFile(server)) ? [`-XX:SharedArchiveFile=${archiveFile(server)}`, '-Xlog:cds=off'] : [];
