/** Another process asked for the position of this partition since, or its store was restored: nothing is planned from here on. */
export class PartitionTaken extends Error {
  override readonly name = 'PartitionTaken';
}
