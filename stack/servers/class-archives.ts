import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toolFolder } from './tools.ts';

export type JavaServer = 'kafka' | 'registry';

/** The archive of the classes that a server loads at its start, already parsed. It halves the start time. */
export const archiveFile = (server: JavaServer, folder: string = toolFolder('class-archives')): string =>
  join(folder, `${server}.jsa`);

/** Another Java version than the archive's ignores it. */
export const archiveFlags = (server: JavaServer): readonly string[] =>
  existsSync(archiveFile(server)) ? [`-XX:SharedArchiveFile=${archiveFile(server)}`, '-Xlog:cds=off'] : [];
