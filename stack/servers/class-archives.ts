import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toolFolder } from './tools.ts';

export type JavaServer = 'kafka' | 'registry';

/** The classes that a server loads when it starts, parsed before: it then starts in half of the time. */
export const archiveFile = (server: JavaServer, folder: string = toolFolder('class-archives')): string =>
  join(folder, `${server}.jsa`);

/** A Java that the archive is not of ignores it. */
export const archiveFlags = (server: JavaServer): readonly string[] =>
  existsSync(archiveFile(server)) ? [`-XX:SharedArchiveFile=${archiveFile(server)}`, '-Xlog:cds=off'] : [];
