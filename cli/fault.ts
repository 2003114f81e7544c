import { type Fault, faultText } from '../domain/composition/fault.ts';
import { isAway } from '../platform/read-store/store-away.ts';

const countText = ({ length }: readonly unknown[]): string => (length === 1 ? 'one fault' : `${length} faults`);

/** @param most a longer list would scroll the message off the screen */
const shortened = (lines: readonly string[], most: number): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more`];

/** Every reason why renderctl cannot do its work. */
export type CliFault =
  | { readonly tag: 'usage'; readonly message: string }
  | { readonly tag: 'no_stack' }
  | { readonly tag: 'stack_file_unreadable'; readonly path: string; readonly message: string }
  /** The environment has some of the required addresses, but not all. */
  | { readonly tag: 'not_configured'; readonly faults: readonly string[] }
  | { readonly tag: 'unreachable'; readonly what: string; readonly address: string }
  | { readonly tag: 'no_api_key' }
  | { readonly tag: 'not_found'; readonly what: string; readonly id: string; readonly list: string | null }
  /** Not possible in the present state. */
  | { readonly tag: 'refused'; readonly reason: string; readonly message: string }
  | { readonly tag: 'not_appended'; readonly message: string }
  | { readonly tag: 'outcome_unknown'; readonly message: string; readonly next_step: string }
  /** The read model does not show the log's changes yet, so the command made no decision. */
  | { readonly tag: 'read_model_behind'; readonly waited_ms: number }
  /** As `read_model_behind`, because a new version folds the read model again, or older projectors still run. */
  | { readonly tag: 'read_model_rebuilding'; readonly waited_ms: number }
  /** A command that only reads: the projectors fold what it reads from the log, after an upgrade. */
  | { readonly tag: 'not_folded_yet'; readonly what: string }
  | {
      readonly tag: 'not_shown';
      readonly offset: number;
      readonly waited_ms: number;
      /** A key that the log has and that cannot be shown again. */
      readonly key?: { readonly key_id: string; readonly key: string };
      /** The signing secret of a webhook endpoint, also shown only once. */
      readonly secret?: { readonly endpoint_id: string; readonly secret: string };
      /** The token of an invitation, also shown only once. */
      readonly invitation?: { readonly invitation_id: string; readonly token: string };
    }
  | { readonly tag: 'unreadable_file'; readonly path: string; readonly message: string }
  /** Files for new assets; each fault begins with the name of its file. */
  | { readonly tag: 'invalid_files'; readonly faults: readonly string[] }
  | { readonly tag: 'unwritable_file'; readonly path: string; readonly message: string }
  /** No row was requested: `faults` are those of the heading. */
  | { readonly tag: 'invalid_rows'; readonly path: string; readonly faults: readonly string[] }
  /**
   * Some rows are not complete. `summary` counts them, `rows` has the fault of each, and `cause` is what ended the
   * batch early.
   */
  | {
      readonly tag: 'batch_incomplete';
      readonly summary: string;
      readonly results: string | null;
      readonly rows: readonly string[];
      readonly cause: CliFault | null;
    }
  | {
      readonly tag: 'invalid_project';
      readonly path: string;
      readonly faults: readonly Fault[];
      /** The command checks the project and does not import it. */
      readonly only_checked?: true;
    }
  /** The project exists, but its first version may not. */
  | { readonly tag: 'import_cut_off'; readonly project_id: string; readonly cause: CliFault }
  | { readonly tag: 'blob_failed'; readonly message: string }
  | {
      readonly tag: 'http';
      readonly status: number;
      readonly message: string;
      /** `Retry-After`. */
      readonly retry_after_s?: number;
    }
  /** This machine cannot inspect media: a program, the disk or the sandbox is at fault. */
  | { readonly tag: 'media_not_read'; readonly message: string }
  /** The request is valid: a program, the disk or a timeout is at fault. */
  | { readonly tag: 'engine_failed'; readonly message: string }
  | { readonly tag: 'render_failed'; readonly id: string; readonly message: string }
  /** For several renders: the number of cancelled renders, and why each of the others was not cancelled. */
  | { readonly tag: 'not_cancelled'; readonly cancelled: number; readonly reasons: readonly string[] }
  /** No partial file remains: the file is whole or absent. */
  | { readonly tag: 'not_downloaded'; readonly id: string; readonly message: string }
  /** The log has the webhook delivery's request, but no relay makes the delivery. */
  | { readonly tag: 'not_taken_up'; readonly id: string; readonly waited_ms: number }
  | { readonly tag: 'not_delivered'; readonly id: string; readonly why: string }
  /** `webhook listen` could not delete its endpoint when it ended. */
  | { readonly tag: 'endpoint_left'; readonly id: string; readonly cause: CliFault }
  /** Ctrl-C: the service continues the requested work. */
  | { readonly tag: 'interrupted' }
  /** The data differs from the data that the notary signed. */
  | { readonly tag: 'not_as_signed'; readonly what: string; readonly differences: readonly string[] }
  /** A read model differs from the log. `count` includes the differences that are not listed. */
  | { readonly tag: 'not_as_logged'; readonly count: number; readonly differences: readonly string[] }
  /** The faults of independent checks. */
  | { readonly tag: 'several'; readonly faults: readonly CliFault[] }
  | { readonly tag: 'disagreement'; readonly id: string; readonly differences: readonly string[] };

/** The message of a fault, its next step, and `details` if there is a list of faults. */
export type Report = {
  readonly message: string;
  readonly next_step: string | null;
  readonly details: readonly string[];
  /** 1: refused or failed. 2: called wrongly. 130: interrupted. */
  readonly exit_code: 1 | 2 | 130;
};

/** The message and the next step, in one line. */
export const reportLine = ({ message, next_step }: Report): string =>
  // Messages of components end with a full stop.
  next_step === null ? message : `${message.replace(/\.$/, '')}; ${next_step}`;

const report = (message: string, next_step: string | null = null, details: readonly string[] = []): Report => ({
  message,
  next_step,
  details,
  exit_code: 1,
});

const httpReport = (status: number, message: string): Report => {
  if (status === 401) return report(message, 'set RENDERCTL_API_KEY to a valid key; "renderctl key create" issues one');
  if (status === 402) return report(message, 'grant credits with "renderctl account grant ACCOUNT CREDITS"');
  // A 429 has its own time for the next try, which may be in an hour.
  if (status === 503) return report(message, 'try again in a moment');
  return report(message);
};

/** A longer list would scroll the message off the screen. */
const MAX_FAULTS = 200;

/** The results file has all rows. */
const MAX_ROWS_TOLD = 20;

const GO_ON = 'run the same command again to continue';

const batchReport = ({ summary, results, rows, cause }: Extract<CliFault, { tag: 'batch_incomplete' }>): Report => {
  const told = results === null ? summary : `${summary}; the results are in ${results}`;
  const details = shortened(rows, MAX_ROWS_TOLD);
  if (cause === null) return report(told, null, details);
  const { message, next_step, exit_code } = reportOf(cause);
  const reason = exit_code === 130 ? 'interrupted' : message;
  return { ...report(`${reason}; ${told}`, next_step === null ? GO_ON : `${next_step}; ${GO_ON}`, details), exit_code };
};

/** Secrets of a change that the read model does not show yet. */
const shownOnce = ({ key, secret, invitation }: Extract<CliFault, { tag: 'not_shown' }>): readonly string[] => [
  ...(key === undefined ? [] : [`the key ${key.key_id}, shown only once and not stored: ${key.key}`]),
  ...(secret === undefined ? [] : [`the secret of ${secret.endpoint_id}, shown only once: ${secret.secret}`]),
  ...(invitation === undefined
    ? []
    : [`the token of ${invitation.invitation_id}, shown only once: ${invitation.token}`]),
];

/** The only mapping from a fault to a message and an exit code. */
export const reportOf = (fault: CliFault): Report => {
  switch (fault.tag) {
    case 'usage':
      return { ...report(fault.message), exit_code: 2 };
    case 'no_stack':
      return report('no stack is running here', 'start one with "make start", or set the addresses in the environment');
    case 'stack_file_unreadable':
      return report(`${fault.path} cannot be read: ${fault.message}`, 'start the stack again with "make start"');
    case 'not_configured':
      return report(
        'the settings in the environment are incomplete',
        'or start a stack with "make start"',
        fault.faults,
      );
    case 'unreachable':
      return report(
        `${fault.what} does not answer at ${fault.address}`,
        'is the stack running? "make start" starts it',
      );
    case 'no_api_key':
      return report('there is no API key', 'set RENDERCTL_API_KEY; "renderctl key create" issues one');
    case 'not_found':
      return report(
        `there is no ${fault.what} ${fault.id}`,
        fault.list === null ? null : `list them with "${fault.list}"`,
      );
    case 'refused':
      return report(fault.message);
    case 'not_appended':
      return report(`the log did not accept the change, nothing changed: ${fault.message}`, 'try again');
    case 'outcome_unknown':
      return report(`it is unknown whether the log has the change: ${fault.message}`, fault.next_step);
    case 'read_model_behind':
      return report(
        `the read model is behind the log and did not catch up within ${fault.waited_ms / 1000} s; nothing was changed`,
        'are the projectors running? try again when they have caught up',
      );
    case 'read_model_rebuilding':
      return report(
        `the read model of this version was not complete within ${fault.waited_ms / 1000} s; nothing was changed`,
        'are the projectors of this version running? try again when they have folded the catalogue',
      );
    case 'not_folded_yet':
      return report(
        `${fault.what} not complete yet: this version folds the log from its beginning`,
        'are the projectors of this version running? try again when "renderctl status" says that both read models serve',
      );
    case 'not_shown':
      return report(
        `the log has the change at offset ${fault.offset}, but the read model does not show it after ${fault.waited_ms / 1000} s`,
        'are the projectors running? do not repeat the command: the change will appear by itself',
        shownOnce(fault),
      );
    case 'unreadable_file':
      return report(`${fault.path} cannot be read: ${fault.message}`);
    case 'invalid_files':
      return report(`${countText(fault.faults)}, nothing was added`, null, shortened(fault.faults, MAX_FAULTS));
    case 'unwritable_file':
      return report(`${fault.path} cannot be written: ${fault.message}`);
    case 'invalid_rows':
      return report(
        `${fault.path} has ${countText(fault.faults)}, nothing was requested`,
        null,
        shortened(fault.faults, MAX_FAULTS),
      );
    case 'batch_incomplete':
      return batchReport(fault);
    case 'invalid_project':
      return report(
        `${fault.path} has ${countText(fault.faults)}${fault.only_checked === true ? '' : ', nothing was imported'}`,
        null,
        shortened(fault.faults.map(faultText), MAX_FAULTS),
      );
    case 'import_cut_off': {
      const { message, details } = reportOf(fault.cause);
      const next_step = `project ${fault.project_id} was created: import again with "--project ${fault.project_id}"`;
      return report(message, next_step, details);
    }
    case 'blob_failed':
      return report(`the blob store refused: ${fault.message}`, 'is the stack running? "make start" starts it');
    case 'http':
      return httpReport(fault.status, fault.message);
    case 'engine_failed':
      return report(
        `this machine could not draw it: ${fault.message}`,
        fault.message.includes('could not be started') ? 'set FFMPEG_PATH and FFPROBE_PATH to their paths' : null,
      );
    case 'media_not_read':
      return report(
        `the media could not be checked here: ${fault.message}`,
        'the check needs ffprobe (FFPROBE_PATH) and space in TMPDIR; --no-media-check skips it',
      );
    case 'render_failed':
      return report(`${fault.id} failed: ${fault.message}`, `see every step with "renderctl trace ${fault.id}"`);
    case 'not_cancelled': {
      const { cancelled, reasons } = fault;
      const message = `${cancelled} cancelled, ${reasons.length} not`;
      return report(message, null, shortened(reasons, MAX_FAULTS));
    }
    case 'not_downloaded':
      return report(`${fault.id} was not downloaded: ${fault.message}`, 'run the same command to download it again');
    case 'not_taken_up':
      return report(
        `the log has ${fault.id}, but no webhook relay has processed it after ${fault.waited_ms / 1000} s`,
        'is the webhook relay running? do not repeat the command: the relay will process it',
      );
    case 'not_delivered':
      return report(
        `${fault.id} was not delivered: ${fault.why}`,
        `see every attempt with "renderctl webhook delivery ${fault.id}"`,
      );
    case 'endpoint_left': {
      const next_step = `delete it with "renderctl webhook delete ${fault.id}", or let the next "webhook listen" do so`;
      return report(`${fault.id} is still there: ${reportOf(fault.cause).message}`, next_step);
    }
    case 'interrupted':
      return { ...report('interrupted'), exit_code: 130 };
    case 'not_as_signed':
      return report(`${fault.what} differs from the signed log`, 'docs/evidence.md says what to do', fault.differences);
    case 'not_as_logged': {
      const { count, differences } = fault;
      const message = `${count === 1 ? 'one difference' : `${count} differences`} between the log and the stores`;
      return report(message, 'docs/evidence.md says what to do', differences);
    }
    case 'several': {
      const reports = fault.faults.map(reportOf);
      const next_steps = new Set(reports.flatMap(({ next_step }) => next_step ?? []));
      const message = reports.map((one) => one.message).join('; and ');
      const details = reports.flatMap((one) => one.details);
      const next_step = next_steps.size === 0 ? null : [...next_steps].join('; ');
      const is_interrupted = reports.some(({ exit_code }) => exit_code === 130);
      return { ...report(message, next_step, details), exit_code: is_interrupted ? 130 : 1 };
    }
    case 'disagreement':
      return report(`the read model disagrees with the log about ${fault.id}`, null, fault.differences);
  }
};

/** The message of an unexpected rejection, in one line. */
export const unforeseenText = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return isAway(error) ? `MongoDB did not answer in time or ended the request: try again (${line})` : line;
};
