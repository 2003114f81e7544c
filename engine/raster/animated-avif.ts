/** Whether an AVIF is a sequence of pictures, by the brand at its beginning. */
export const isAnimatedAvif = (avif: Buffer): boolean => avif.toString('latin1', 4, 12) === 'ftypavis';
