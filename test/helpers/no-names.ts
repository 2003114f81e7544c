import type { Names } from '../../projectors/render/names.ts';

/** For events that have their names themselves. */
export const NO_NAMES: Names = { read: async () => undefined, of: () => null, pending: () => null };
