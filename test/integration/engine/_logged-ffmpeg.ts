import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const loggedFfmpeg = async (folder: string) => {
  const log = join(folder, 'asked.txt');
  const program = join(folder, 'ffmpeg');
  const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
  await writeFile(
    program,
    // One write for each line, because two processes can start at the same moment.
    `#!/bin/sh\nprintf '%s\\n' "$(printf '%s ' "$@" | tr '\\n' ' ')" >> '${log}'\nexec ${ffmpeg} "$@"\n`,
  );
  await chmod(program, 0o755);
  return {
    program,
    /** The number of processes since the last call: those that encode pictures, and all. */
    since: async (): Promise<{ readonly pictures: number; readonly all: number }> => {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      await writeFile(log, '');
      return { pictures: lines.filter((line) => line.includes('-segment_format ')).length, all: lines.length };
    },
  };
};
