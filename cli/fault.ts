import { isStoreUnavailable } from '../platform/read-store/store-away.ts';
import { type ChangeFault, changeReport } from './faults/change-fault.ts';
import { type EvidenceFault, evidenceReport } from './faults/evidence-fault.ts';
import { type FileFault, fileReport } from './faults/file-fault.ts';
import { type ServiceFault, serviceFaultReport } from './faults/service-fault.ts';
import { type SetupFault, setupReport } from './faults/setup-fault.ts';
import { type FaultReport, report, truncateLines } from './report.ts';

export type CliFault =
  | SetupFault
  | ChangeFault
  | FileFault
  | ServiceFault
  | EvidenceFault
  | { readonly tag: 'usage'; readonly message: string }
  /**
   * `summary` counts the rows, `rows` has the fault of each failed row, and `cause` is the fault that ended the batch.
   */
  | {
      readonly tag: 'batch_incomplete';
      readonly summary: string;
      readonly results: string | null;
      readonly rows: readonly string[];
      readonly cause: CliFault | null;
    }
  /** The import was interrupted: the project exists, but its first version may not exist. */
  | { readonly tag: 'import_cut_off'; readonly project_id: string; readonly cause: CliFault }
  | { readonly tag: 'endpoint_left'; readonly id: string; readonly cause: CliFault }
  | { readonly tag: 'interrupted' }
  | { readonly tag: 'several'; readonly faults: readonly CliFault[] };

/** The results file has all rows; this limits only the printed ones. */
const MAX_ROWS_SHOWN = 20;

const REPEAT = 'run the same command again to continue';

const batchReport = ({
  summary,
  results,
  rows,
  cause,
}: Extract<CliFault, { tag: 'batch_incomplete' }>): FaultReport => {
  const text = results === null ? summary : `${summary}; the results are in ${results}`;
  const details = truncateLines(rows, MAX_ROWS_SHOWN);
  if (cause === null) return report(text, null, details);
  const { message, next_step, exit_code } = reportOf(cause);
  const reason = exit_code === 130 ? 'interrupted' : message;
  return {
    ...report(`${reason}; ${text}`, next_step === null ? REPEAT : `${next_step}; ${REPEAT}`, details),
    exit_code,
  };
};

export const reportOf = (fault: CliFault): FaultReport => {
  switch (fault.tag) {
    case 'no_stack':
    case 'stack_file_unreadable':
    case 'not_configured':
    case 'unreachable':
    case 'no_api_key':
    case 'not_logged_in':
    case 'session_needed':
    case 'not_approved':
    case 'no_team':
    case 'log_in_unreadable':
    case 'needs_servers':
    case 'not_reachable_here':
    case 'media_not_read':
    case 'engine_failed':
      return setupReport(fault);
    case 'not_found':
    case 'refused':
    case 'not_appended':
    case 'outcome_unknown':
    case 'read_model_behind':
    case 'read_model_rebuilding':
    case 'not_folded_yet':
    case 'not_shown':
      return changeReport(fault);
    case 'unreadable_file':
    case 'unwritable_file':
    case 'invalid_files':
    case 'invalid_rows':
    case 'invalid_project':
      return fileReport(fault);
    case 'blob_failed':
    case 'http':
    case 'render_failed':
    case 'not_cancelled':
    case 'not_downloaded':
    case 'not_uploaded':
    case 'secret_lost':
    case 'not_taken_up':
    case 'not_delivered':
      return serviceFaultReport(fault);
    case 'not_as_signed':
    case 'not_as_logged':
    case 'disagreement':
      return evidenceReport(fault);
    case 'usage':
      return { ...report(fault.message), exit_code: 2 };
    case 'batch_incomplete':
      return batchReport(fault);
    case 'import_cut_off': {
      const { message, details } = reportOf(fault.cause);
      const next_step = `project ${fault.project_id} was created; import again with "--project ${fault.project_id}"`;
      return report(message, next_step, details);
    }
    case 'endpoint_left': {
      const next_step = `delete it with "renderctl webhook delete ${fault.id}", or let the next "webhook listen" do so`;
      return report(`${fault.id} was not deleted: ${reportOf(fault.cause).message}`, next_step);
    }
    case 'interrupted':
      return { ...report('interrupted'), exit_code: 130 };
    case 'several': {
      const reports = fault.faults.map(reportOf);
      const next_steps = new Set(reports.flatMap(({ next_step }) => next_step ?? []));
      const message = reports.map((one) => one.message).join('; and ');
      const details = reports.flatMap((one) => one.details);
      const next_step = next_steps.size === 0 ? null : [...next_steps].join('; ');
      const is_interrupted = reports.some(({ exit_code }) => exit_code === 130);
      return { ...report(message, next_step, details), exit_code: is_interrupted ? 130 : 1 };
    }
  }
};

export const unexpectedErrorText = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return isStoreUnavailable(error)
    ? `MongoDB did not answer in time or cancelled the request; try again (${line})`
    : line;
};
