import { compositionFault, type EngineFault, infrastructureFault } from './engine-fault.ts';
import { type Finished, lastLine } from './run-process.ts';

export const DAMAGED: EngineFault = compositionFault(
  'unreadable_media',
  'a video or audio file is damaged and cannot be read to its end',
);

/** Messages about an input: it cannot be decoded, or its parameters are absurd (4,000,000,000 Hz). */
const SOURCE =
  /Invalid data found|moov atom not found|Format not on whitelist|Error while decoding stream|Error while processing the decoded data|Decoder \(codec none\)/;

/** Why ffmpeg failed, from its standard error: a damaged source, or anything else, which a retry may mend. */
export const ffmpegFault = (stderr: string): EngineFault => {
  if (/No space left on device|Cannot allocate memory|File too large/.test(stderr))
    return infrastructureFault(`ffmpeg failed: ${lastLine(stderr)}`);
  return SOURCE.test(stderr) ? DAMAGED : infrastructureFault(`ffmpeg failed: ${lastLine(stderr)}`);
};

/** ffmpeg exits with 0 even if it could not write the end of a file. */
const UNFINISHED = /Error writing trailer|Error closing file|No space left/;

/** Whether ffmpeg succeeded. */
export const endedWell = ({ exit_code, stderr }: Finished): boolean => exit_code === 0 && !UNFINISHED.test(stderr);
