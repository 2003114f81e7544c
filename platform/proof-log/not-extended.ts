/** What is there is not what was signed, or does not go on from it. A person has to look. */
export class NotExtended extends Error {
  override readonly name = 'NotExtended';
}
