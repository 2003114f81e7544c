import type { RequestNames } from '../../projectors/render/names.ts';

/** For tests whose events contain the names of their renders, so that no name is read from a payload. */
export const NO_NAMES: RequestNames = { read: async () => undefined, of: () => null, pending: () => null };
