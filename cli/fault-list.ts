export const countText = ({ length }: readonly unknown[]): string => (length === 1 ? 'one fault' : `${length} faults`);

/** @param most more would scroll away what is at the top */
export const shortened = (lines: readonly string[], most: number): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more`];
