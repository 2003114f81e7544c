import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An ffmpeg that writes down what it is asked, one line for each process. */
export const loggedFfmpeg = async (folder: string) => {
  const log = join(folder, 'asked.txt');
  const program = join(folder, 'ffmpeg');
  const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
  await writeFile(
    program,
    // One write for each line: two processes may be started at the same moment.
    `#!/bin/sh\nprintf '%s\\n' "$(printf '%s ' "$@" | tr '\\n' ' ')" >> '${log}'\nexec ${ffmpeg} "$@"\n`,
  );
  await chmod(program, 0o755);
  return {
    program,
    /** What was asked since the last time: of how many processes that encode pictures, and of how many in all. */
    since: async (): Promise<{ readonly pictures: number; readonly all: number }> => {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      await writeFile(log, '');
      return { pictures: lines.filter((line) => line.includes('-segment_format ')).length, all: lines.length };
    },
  };
};
