/** Whether an AVIF is an image sequence, by its major brand. */
export const isAnimatedAvif = (avif: Buffer): boolean => avif.toString('latin1', 4, 12) === 'ftypavis';
