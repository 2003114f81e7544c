import { type Report, report } from '../report.ts';

/** Stores differ from each other or from what was signed. */
export type EvidenceFault =
  /** The data differs from the data that the notary signed. */
  | { readonly tag: 'not_as_signed'; readonly what: string; readonly differences: readonly string[] }
  /** A read model differs from the log. `count` includes the differences that are not listed. */
  | { readonly tag: 'not_as_logged'; readonly count: number; readonly differences: readonly string[] }
  | { readonly tag: 'disagreement'; readonly id: string; readonly differences: readonly string[] };

export const evidenceReport = (fault: EvidenceFault): Report => {
  switch (fault.tag) {
    case 'not_as_signed':
      return report(`${fault.what} differs from the signed log`, 'docs/evidence.md says what to do', fault.differences);
    case 'not_as_logged': {
      const { count, differences } = fault;
      const message = `${count === 1 ? 'one difference' : `${count} differences`} between the log and the stores`;
      return report(message, 'docs/evidence.md says what to do', differences);
    }
    case 'disagreement':
      return report(`the read model disagrees with the log about ${fault.id}`, null, fault.differences);
  }
};
