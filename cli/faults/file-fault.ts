import { type Fault, faultText } from '../../domain/composition/fault.ts';
import { errorCountText, type FaultReport, MAX_FAULTS, report, truncateLines } from '../report.ts';

/** A file cannot be read or written, or its content is not valid. */
export type FileFault =
  | { readonly tag: 'unreadable_file'; readonly path: string; readonly message: string }
  | { readonly tag: 'unwritable_file'; readonly path: string; readonly message: string }
  /** Each fault begins with the name of its file. */
  | { readonly tag: 'invalid_files'; readonly faults: readonly string[] }
  /** `faults` are faults of the heading. No row was requested. */
  | { readonly tag: 'invalid_rows'; readonly path: string; readonly faults: readonly string[] }
  | {
      readonly tag: 'invalid_project';
      readonly path: string;
      readonly faults: readonly Fault[];
      /** True for a command that only checks the project and imports nothing. */
      readonly only_checked?: true;
    };

export const fileReport = (fault: FileFault): FaultReport => {
  switch (fault.tag) {
    case 'unreadable_file':
      return report(`${fault.path} cannot be read: ${fault.message}`);
    case 'unwritable_file':
      return report(`${fault.path} cannot be written: ${fault.message}`);
    case 'invalid_files':
      return report(
        `${errorCountText(fault.faults)}; nothing was added`,
        null,
        truncateLines(fault.faults, MAX_FAULTS),
      );
    case 'invalid_rows':
      return report(
        `${fault.path} has ${errorCountText(fault.faults)}; nothing was requested`,
        null,
        truncateLines(fault.faults, MAX_FAULTS),
      );
    case 'invalid_project':
      return report(
        `${fault.path} has ${errorCountText(fault.faults)}${fault.only_checked === true ? '' : '; nothing was imported'}`,
        null,
        truncateLines(fault.faults.map(faultText), MAX_FAULTS),
      );
  }
};
