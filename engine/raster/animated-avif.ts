/** The major brand of an animated AVIF is `avis`. */
export const isAnimatedAvif = (avif: Buffer): boolean => avif.toString('latin1', 4, 12) === 'ftypavis';
