/** The log differs from its signed state, or does not extend it. An operator must investigate. */
export class NotExtended extends Error {
  override readonly name = 'NotExtended';
}
