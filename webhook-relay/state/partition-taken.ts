/** Another process asked for the position of this partition since: nothing is planned in it here any more. */
export class PartitionTaken extends Error {
  override readonly name = 'PartitionTaken';
}
