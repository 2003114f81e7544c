/** Paths of blobs in the container. The store completes a payload's path at each write, to make it unique. */

export const requestPath = (render_id: string): string => `renders/${render_id}/request.json`;

export const emailPath = (user_id: string): string => `users/${user_id}/email.json`;

/** What is kept of a user; ends with a slash. */
export const userPrefix = (user_id: string): string => `users/${user_id}/`;

/** What a project was called when it was created. */
export const projectNamePath = (project_id: string): string => `projects/${project_id}/name.json`;

/** The document of a version of a project. */
export const projectDocumentPath = (project_id: string, version: number): string =>
  `projects/${project_id}/documents/${version}.json`;

/** Texts, assets and thumbnails of a project; ends with a slash. */
export const projectPrefix = (project_id: string): string => `projects/${project_id}/`;

export const compositionPath = (render_id: string): string => `renders/${render_id}/composition.json`;

/** A file that an attempt made. @param file_name such as `master.mp4` */
export const outputPath = (render_id: string, attempt_id: string, file_name: string): string =>
  `renders/${render_id}/${attempt_id}/${file_name}`;

/** What a render has: payloads, fetched media, outputs, and which parts it used; ends with a slash. */
export const renderPrefix = (render_id: string): string => `renders/${render_id}/`;

/** Which parts its attempts used, a file for each; ends with a slash. */
export const usedPartsPrefix = (render_id: string): string => `${renderPrefix(render_id)}parts/`;

/** The keys of the parts that an attempt used, as a JSON array. */
export const usedPartsPath = (render_id: string, attempt_id: string): string =>
  `${usedPartsPrefix(render_id)}${attempt_id}.json`;

/**
 * A file that was fetched for one render, addressed by its content. @param sha256 of the file's bytes, lowercase hex
 */
export const mediaPath = (render_id: string, sha256: string): string => `renders/${render_id}/media/${sha256}`;

/** Assets are addressed by their content, within their project. @param sha256 of the file's bytes, lowercase hex */
export const assetPath = (project_id: string, sha256: string): string => `projects/${project_id}/assets/${sha256}`;

/** The prefix of an account: `accounts/<account_id>/…`. */
export const ACCOUNTS_PATH = 'accounts/';

/** What is kept for an account; ends with a slash. */
export const accountPrefix = (account_id: string): string => `${ACCOUNTS_PATH}${account_id}/`;

/** Encoded parts of the account's renders, which can all be made again; ends with a slash. */
export const segmentsPath = (account_id: string): string => `${accountPrefix(account_id)}segments/`;

/** @param key sha256, in hex, of all that decides the part's bytes */
export const segmentPath = (account_id: string, key: string): string => `${segmentsPath(account_id)}${key}`;

/** A thumbnail of a project version. @param unique a ULID: an event may point to a path, so none is written twice */
export const thumbnailPath = (project_id: string, version: number, unique: string): string =>
  `projects/${project_id}/thumbnails/${version}-${unique}.jpg`;

/** The prefix of all renders. */
export const RENDERS_PATH = 'renders/';

/** The prefix of all projects. */
export const PROJECTS_PATH = 'projects/';

/** The prefix of all users. */
export const USERS_PATH = 'users/';

/**
 * What is kept in Blob for a render: what was asked for, what is made of that, what was fetched, what attempts made, and
 * which parts they used.
 */
export type RenderBlobKind = 'requests' | 'compositions' | 'media' | 'outputs' | 'used_parts';

const RENDER_BLOBS: readonly (readonly [RenderBlobKind, RegExp])[] = [
  ['requests', /^renders\/([^/]+)\/request(?:-[^/]+)?\.json$/],
  ['compositions', /^renders\/([^/]+)\/composition(?:-[^/]+)?\.json$/],
  ['media', /^renders\/([^/]+)\/media\/[0-9a-f]{64}$/],
  ['used_parts', /^renders\/([^/]+)\/parts\/[^/]+\.json$/],
  ['outputs', /^renders\/([^/]+)\/att_[^/]+\/[^/]+$/],
];

/** Null for a path that none of the functions above makes. */
export const renderBlobAt = (path: string): { readonly render_id: string; readonly kind: RenderBlobKind } | null => {
  for (const [kind, form] of RENDER_BLOBS) {
    const render_id = form.exec(path)?.[1];
    if (render_id !== undefined) return { render_id, kind };
  }
  return null;
};

/** Whose e-mail address is at the path; null for another path. */
export const userOfEmailAt = (path: string): string | null =>
  /^users\/([^/]+)\/email(?:-[^/]+)?\.json$/.exec(path)?.[1] ?? null;

/** A name, a document or a thumbnail of a project. */
export type ProjectFile =
  | { readonly kind: 'name' | 'thumbnail'; readonly project_id: string }
  | { readonly kind: 'document'; readonly project_id: string; readonly version: number };

/** Null for a path that is none of these, as that of an asset. */
export const projectFileAt = (path: string): ProjectFile | null => {
  const [, project_id, rest] = /^projects\/([^/]+)\/(.*)$/.exec(path) ?? [];
  if (project_id === undefined || rest === undefined) return null;
  if (/^name(?:-[^/]+)?\.json$/.test(rest)) return { kind: 'name', project_id };
  if (/^thumbnails\/\d+-[^/]+\.jpg$/.test(rest)) return { kind: 'thumbnail', project_id };
  const [, version] = /^documents\/(\d+)(?:-[^/]+)?\.json$/.exec(rest) ?? [];
  return version === undefined ? null : { kind: 'document', project_id, version: Number(version) };
};
