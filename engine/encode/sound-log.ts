/** An error line of ffmpeg's log. Group 1 is the component that logs it, group 2 the message. */
const ERROR = /^((?:\[[^\]]*\] )?)\[(?:error|fatal|panic)\] (.*)/;
/** The line that sets up an input of the filter graph. The groups are the input's number and its format. */
const INPUT = /^\[graph_\d+_in_(\d+)[_:]\S* @ [^\]]*\] \[verbose\] tb:\S+ (samplefmt:.*)/;

const PEAK = /^\[Parsed_astats_\d+ @ [^\]]*\] \[info\] Peak level dB: (\S+)/;

const MAX_ERRORS = 100;

export const createSoundLogParser = () => {
  const errors: string[] = [];
  const formats = new Map<number, string>();
  const changing = new Set<number>();
  let peak_db = Number.NEGATIVE_INFINITY;
  return {
    options: ['-nostats', '-loglevel', 'level+verbose'] as const,
    onLine: (line: string): void => {
      const [, name, message] = ERROR.exec(line) ?? [];
      if (message !== undefined) errors.push(`${name}${message}`);
      if (errors.length > MAX_ERRORS) errors.shift();
      const [, peak] = PEAK.exec(line) ?? [];
      if (peak !== undefined && Number.isFinite(Number(peak))) peak_db = Number(peak);
      const [, input, format] = INPUT.exec(line) ?? [];
      if (input === undefined || format === undefined) return;
      const before = formats.get(Number(input));
      if (before !== undefined && before !== format) changing.add(Number(input));
      formats.set(Number(input), format);
    },
    errors: (): string => errors.join('\n'),
    peakDb: (): number => peak_db,
    /** Inputs whose format changed within the stream: the graph restarted there. */
    changing: (): readonly number[] => [...changing],
  };
};
