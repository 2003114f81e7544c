import { writeFile } from 'node:fs/promises';

/**
 * An ffmpeg that waits up to a minute for these files before it encodes pictures.
 *
 * @param begun a file to which it adds a line before the wait
 */
export const waitingFfmpeg = async (program: string, files: readonly string[], begun?: string): Promise<string> => {
  const making = begun === undefined ? '' : `echo >> '${begun}'; `;
  const lacking = files.map((file) => `[ ! -e '${file}' ]`).join(' || ');
  const waiting = `${making}n=0; while { ${lacking}; } && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done`;
  const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
  const script = `#!/bin/sh\ncase "$*" in *segment_format*) ${waiting};; esac\nexec ${ffmpeg} "$@"\n`;
  await writeFile(program, script, { mode: 0o755 });
  return program;
};
