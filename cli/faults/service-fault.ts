import { type Fault, faultText } from '../../domain/composition/fault.ts';
import { type FaultReport, MAX_FAULTS, report, truncateLines } from '../report.ts';

/** The service or its blob store refused a request, or a render or a delivery failed. */
export type ServiceFault =
  | { readonly tag: 'blob_failed'; readonly message: string }
  | {
      readonly tag: 'http';
      readonly status: number;
      readonly message: string;
      readonly retry_after_s?: number;
      readonly code?: string;
      /** Each fault of a refused document. */
      readonly faults?: readonly Fault[];
      /** The advice for the source of the key. */
      readonly next_step?: string;
    }
  /** `is_remote`: the person reaches only the API, so they cannot trace the render. */
  | { readonly tag: 'render_failed'; readonly id: string; readonly message: string; readonly is_remote?: true }
  /** The number of cancelled renders, and why each of the others was not cancelled. */
  | { readonly tag: 'not_cancelled'; readonly cancelled: number; readonly reasons: readonly string[] }
  /** The download failed; it leaves no partial file. */
  | { readonly tag: 'not_downloaded'; readonly id: string; readonly message: string }
  /** A repeated command continues the upload. */
  | { readonly tag: 'not_uploaded'; readonly path: string; readonly message: string }
  /** The service created it, but the answer with its secret was lost. */
  | { readonly tag: 'secret_lost'; readonly what: 'key' | 'endpoint'; readonly id: string }
  /** The delivery was requested in the log, but no relay has processed it. */
  | { readonly tag: 'not_taken_up'; readonly id: string; readonly waited_ms: number }
  | { readonly tag: 'not_delivered'; readonly id: string; readonly why: string };

const httpReport = ({
  status,
  message,
  faults = [],
  next_step,
}: Extract<ServiceFault, { tag: 'http' }>): FaultReport => {
  if (next_step !== undefined) return report(message, next_step);
  if (status === 401) return report(message, 'set RENDERCTL_API_KEY to a valid key; "renderctl key create" issues one');
  if (status === 402) return report(message, 'grant credits with "renderctl account grant ACCOUNT CREDITS"');
  // A 429 gets no such advice: its message has the time for the next try, which may be an hour away.
  if (status === 503) return report(message, 'try again in a moment');
  return report(message, null, truncateLines(faults.map(faultText), MAX_FAULTS));
};

export const serviceFaultReport = (fault: ServiceFault): FaultReport => {
  switch (fault.tag) {
    case 'blob_failed':
      return report(
        `the blob store refused the request: ${fault.message}`,
        'is the stack running? "make start" starts it',
      );
    case 'http':
      return httpReport(fault);
    case 'render_failed':
      return report(
        `${fault.id} failed: ${fault.message}`,
        fault.is_remote === true
          ? `see the stage and the code with "renderctl render get ${fault.id}"`
          : `see every step with "renderctl trace ${fault.id}"`,
      );
    case 'not_cancelled': {
      const { cancelled, reasons } = fault;
      const message = `${cancelled} cancelled, ${reasons.length} not cancelled`;
      return report(message, null, truncateLines(reasons, MAX_FAULTS));
    }
    case 'not_downloaded':
      return report(`${fault.id} was not downloaded: ${fault.message}`, 'run the same command to download it again');
    case 'not_uploaded':
      return report(`${fault.path} was not uploaded: ${fault.message}`, 'run the same command again to continue');
    case 'secret_lost':
      return report(
        `${fault.id} was created, but the connection was lost before its secret arrived`,
        fault.what === 'key'
          ? `revoke it with "renderctl key revoke ${fault.id}", and create another one`
          : `get a new secret with "renderctl webhook rotate-secret ${fault.id}"`,
      );
    case 'not_taken_up':
      return report(
        `${fault.id} was requested, but no webhook relay processed it within ${fault.waited_ms / 1000} s`,
        'is the webhook relay running? do not repeat the command: the relay will process it',
      );
    case 'not_delivered':
      return report(
        `${fault.id} was not delivered: ${fault.why}`,
        `see every attempt with "renderctl webhook delivery ${fault.id}"`,
      );
  }
};
