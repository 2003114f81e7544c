/** Replaces platform/seals/tree-age.ts: a minute of the service, scaled down. */
export const MAX_TREE_AGE_MS = 6_000;

({ MAX_TREE_AGE_MS }) satisfies Record<keyof typeof import('../../../platform/seals/tree-age.ts'), number>;
