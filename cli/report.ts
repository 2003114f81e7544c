/** The message of a fault, its next step, and `details` if there is a list of faults. */
export type FaultReport = {
  readonly message: string;
  readonly next_step: string | null;
  readonly details: readonly string[];
  /** 1: refused or failed. 2: called wrongly. 130: interrupted. */
  readonly exit_code: 1 | 2 | 130;
};

export const reportLine = ({ message, next_step }: FaultReport): string =>
  // Messages of the service's components end with a full stop, which the next step replaces.
  next_step === null ? message : `${message.replace(/\.$/, '')}; ${next_step}`;

export const report = (
  message: string,
  next_step: string | null = null,
  details: readonly string[] = [],
): FaultReport => ({
  message,
  next_step,
  details,
  exit_code: 1,
});

/** The maximum number of listed faults: a longer list would scroll the message off the screen. */
export const MAX_FAULTS = 200;

export const truncateLines = (lines: readonly string[], most: number): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more`];

export const errorCountText = ({ length }: readonly unknown[]): string =>
  `${length} ${length === 1 ? 'error' : 'errors'}`;
