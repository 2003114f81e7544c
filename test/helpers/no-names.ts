import type { RequestNames } from '../../projectors/render/names.ts';

/** For events that contain their names. */
export const NO_NAMES: RequestNames = { read: async () => undefined, of: () => null, pending: () => null };
