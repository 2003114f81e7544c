import type { Names } from '../../projectors/render/names.ts';

/** For events that contain their names. */
export const NO_NAMES: Names = { read: async () => undefined, of: () => null, pending: () => null };
