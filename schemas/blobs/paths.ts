/** Paths of blobs in the container. For payloads, the store adds a unique suffix at each write. */

export const requestPath = (render_id: string): string => `renders/${render_id}/request.json`;

export const emailPath = (user_id: string): string => `users/${user_id}/email.json`;

export const userPrefix = (user_id: string): string => `users/${user_id}/`;

export const projectNamePath = (project_id: string): string => `projects/${project_id}/name.json`;

export const projectDocumentPath = (project_id: string, version: number): string =>
  `projects/${project_id}/documents/${version}.json`;

export const projectPrefix = (project_id: string): string => `projects/${project_id}/`;

export const compositionPath = (render_id: string): string => `renders/${render_id}/composition.json`;

/** @param file_name such as `master.mp4` */
export const outputPath = (render_id: string, attempt_id: string, file_name: string): string =>
  `renders/${render_id}/${attempt_id}/${file_name}`;

/** The prefix of all blobs of a render: payloads, fetched media, outputs and lists of used parts. Ends with a slash. */
export const renderPrefix = (render_id: string): string => `renders/${render_id}/`;

/** The prefix of the lists of used parts, one file per attempt. Ends with a slash. */
export const usedPartsPrefix = (render_id: string): string => `${renderPrefix(render_id)}parts/`;

export const usedPartsPath = (render_id: string, attempt_id: string): string =>
  `${usedPartsPrefix(render_id)}${attempt_id}.json`;

/** Media fetched for one render. @param sha256 of the file's bytes, lowercase hex */
export const mediaPath = (render_id: string, sha256: string): string => `renders/${render_id}/media/${sha256}`;

/** Assets are content-addressed per project. @param sha256 of the file's bytes, lowercase hex */
export const assetPath = (project_id: string, sha256: string): string => `projects/${project_id}/assets/${sha256}`;

/** The project and the hash of an asset; null for any other path. */
export const assetAt = (path: string): { readonly project_id: string; readonly sha256: string } | null => {
  const [, project_id, sha256] = /^projects\/([^/]+)\/assets\/([0-9a-f]{64})$/.exec(path) ?? [];
  return project_id === undefined || sha256 === undefined ? null : { project_id, sha256 };
};

export const ACCOUNTS_PATH = 'accounts/';

export const accountPrefix = (account_id: string): string => `${ACCOUNTS_PATH}${account_id}/`;

/** The prefix of the encoded parts of the account's renders, all of which can be encoded again. Ends with a slash. */
export const segmentsPath = (account_id: string): string => `${accountPrefix(account_id)}segments/`;

/** @param key sha256, in hex, of everything that decides the part's bytes */
export const segmentPath = (account_id: string, key: string): string => `${segmentsPath(account_id)}${key}`;

/** Neither part may be a relative path segment, and the name is a ULID. */
const KEY_TREE = /^accounts\/(?!\.{1,2}\/)([^/]+)\/keys\/([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

/** The prefix of the key trees of the account's sealed records. Ends with a slash. */
export const keyTreesPath = (account_id: string): string => `${accountPrefix(account_id)}keys/`;

/**
 * The path of a key tree. Null if the names do not have their form, because a record could otherwise name any blob of
 * the container.
 *
 * @param tree the name of the tree in a `Seal`
 */
export const keyTreePath = (account_id: string, tree: string): string | null => {
  const path = `${keyTreesPath(account_id)}${tree}`;
  return keyTreeAt(path) === null ? null : path;
};

/**
 * An empty key tree, which `retention` writes before it deletes the key trees of an erased account. So readers know that
 * the texts are erased, and not lost.
 */
export const erasedAccountTreePath = (account_id: string): string => `erasures/accounts/${account_id}`;

/** The account and the name of a key tree; null for any other path. */
export const keyTreeAt = (path: string): { readonly account_id: string; readonly tree: string } | null => {
  const [, account_id, tree] = KEY_TREE.exec(path) ?? [];
  return account_id === undefined || tree === undefined ? null : { account_id, tree };
};

/** Clients write here with a signed URL, so the bytes may change at any time. Ends with a slash. */
export const quarantinePrefix = (account_id: string): string => `${accountPrefix(account_id)}quarantine/`;

export const quarantinePath = (account_id: string, upload_id: string): string =>
  `${quarantinePrefix(account_id)}${upload_id}`;

/** The prefix of the uploads that only the service writes. Ends with a slash. */
export const uploadsPrefix = (account_id: string): string => `${accountPrefix(account_id)}uploads/`;

export const uploadPrefix = (account_id: string, upload_id: string): string =>
  `${uploadsPrefix(account_id)}${upload_id}/`;

/** A copy of the document of the upload, for a store that was restored from a backup. */
export const uploadRecordPath = (account_id: string, upload_id: string): string =>
  `${uploadPrefix(account_id, upload_id)}record.json`;

/** @param attempt a ULID: each inspection works on its own copy of the bytes */
export const uploadBytesPath = (account_id: string, upload_id: string, attempt: string): string =>
  `${uploadPrefix(account_id, upload_id)}${attempt}`;

/** The upload of a blob in quarantine or of a copy; null for any other path. */
export const uploadAt = (path: string): { readonly account_id: string; readonly upload_id: string } | null => {
  const [, account_id, upload_id] =
    /^accounts\/([^/]+)\/(?:quarantine\/([^/]+)$|uploads\/([^/]+)\/)/
      .exec(path)
      ?.filter((part) => part !== undefined) ?? [];
  return account_id === undefined || upload_id === undefined ? null : { account_id, upload_id };
};

/** @param unique a ULID, so that no write changes a file that an event refers to */
export const thumbnailPath = (project_id: string, version: number, unique: string): string =>
  `projects/${project_id}/thumbnails/${version}-${unique}.jpg`;

export const RENDERS_PATH = 'renders/';

export const PROJECTS_PATH = 'projects/';

export const USERS_PATH = 'users/';

export type RenderBlobKind = 'requests' | 'compositions' | 'media' | 'outputs' | 'used_parts';

const RENDER_BLOBS: readonly (readonly [RenderBlobKind, RegExp])[] = [
  ['requests', /^renders\/([^/]+)\/request(?:-[^/]+)?\.json$/],
  ['compositions', /^renders\/([^/]+)\/composition(?:-[^/]+)?\.json$/],
  ['media', /^renders\/([^/]+)\/media\/[0-9a-f]{64}$/],
  ['used_parts', /^renders\/([^/]+)\/parts\/[^/]+\.json$/],
  ['outputs', /^renders\/([^/]+)\/att_[^/]+\/[^/]+$/],
];

/** The render and the kind of a render's blob; null for any other path. */
export const renderBlobAt = (path: string): { readonly render_id: string; readonly kind: RenderBlobKind } | null => {
  for (const [kind, form] of RENDER_BLOBS) {
    const render_id = form.exec(path)?.[1];
    if (render_id !== undefined) return { render_id, kind };
  }
  return null;
};

/** The user of an e-mail payload; null for any other path. */
export const userOfEmailAt = (path: string): string | null =>
  /^users\/([^/]+)\/email(?:-[^/]+)?\.json$/.exec(path)?.[1] ?? null;

export type ProjectFile =
  | { readonly kind: 'name' | 'thumbnail'; readonly project_id: string }
  | { readonly kind: 'document'; readonly project_id: string; readonly version: number };

/** The project, and the kind of the file; null for any other path, such as an asset. */
export const projectFileAt = (path: string): ProjectFile | null => {
  const [, project_id, rest] = /^projects\/([^/]+)\/(.*)$/.exec(path) ?? [];
  if (project_id === undefined || rest === undefined) return null;
  if (/^name(?:-[^/]+)?\.json$/.test(rest)) return { kind: 'name', project_id };
  if (/^thumbnails\/\d+-[^/]+\.jpg$/.test(rest)) return { kind: 'thumbnail', project_id };
  const [, version] = /^documents\/(\d+)(?:-[^/]+)?\.json$/.exec(rest) ?? [];
  return version === undefined ? null : { kind: 'document', project_id, version: Number(version) };
};
