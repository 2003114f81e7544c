/** What the process was started with is gone from the store: a start makes it again. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}
