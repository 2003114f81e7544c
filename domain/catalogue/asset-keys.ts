/** Canonical JSON. Inside a string, the quotes are escaped, so a text of the project never matches. */
const NAMED = /"sha256":"([0-9a-f]{64})"/g;

/** The key under which a version of a team's project is found by the SHA-256 of one of its assets. */
export const assetKey = (team_id: string, sha256: string): string => `${team_id}/${sha256}`;

/** @param document canonical JSON; null if it is not known yet */
export const assetKeysOf = (team_id: string, document: string | null): readonly string[] => [
  ...new Set(Array.from((document ?? '').matchAll(NAMED), ([, sha256 = '']) => assetKey(team_id, sha256))),
];
