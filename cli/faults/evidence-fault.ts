import { type FaultReport, report } from '../report.ts';

/** The stores differ from each other or from the signed log. */
export type EvidenceFault =
  /** The data differs from the signed log. */
  | { readonly tag: 'not_as_signed'; readonly what: string; readonly differences: readonly string[] }
  /** A read model differs from the log. `count` includes differences that are not listed. */
  | { readonly tag: 'not_as_logged'; readonly count: number; readonly differences: readonly string[] }
  | { readonly tag: 'disagreement'; readonly id: string; readonly differences: readonly string[] };

export const evidenceReport = (fault: EvidenceFault): FaultReport => {
  switch (fault.tag) {
    case 'not_as_signed':
      return report(`${fault.what} differs from the signed log`, 'see docs/evidence.md', fault.differences);
    case 'not_as_logged': {
      const { count, differences } = fault;
      const message = `${count === 1 ? 'one difference' : `${count} differences`} between the log and the stores`;
      return report(message, 'see docs/evidence.md', differences);
    }
    case 'disagreement':
      return report(`the read model of ${fault.id} differs from the log`, null, fault.differences);
  }
};
