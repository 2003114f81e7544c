/** `retention` tries again each minute to delete the keys of these texts. */
export const unpuncturedText = (count: number): string =>
  count === 1
    ? '1 erased text is still readable, because its key could not be deleted. See docs/operations.md, "Key trees".'
    : `${count} erased texts are still readable, because their keys could not be deleted. See docs/operations.md, "Key trees".`;
