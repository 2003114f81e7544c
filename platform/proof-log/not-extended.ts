/** The log differs from what was signed, or does not extend it. An operator must investigate. */
export class NotExtended extends Error {
  override readonly name = 'NotExtended';
}
