/** Where blobs lie in the container. A payload's path is completed by the store at each write, to one of its own. */

export const requestPath = (render_id: string): string => `renders/${render_id}/request.json`;

export const emailPath = (user_id: string): string => `users/${user_id}/email.json`;

export const compositionPath = (render_id: string): string => `renders/${render_id}/composition.json`;

/** A file that an attempt made. @param file_name such as `master.mp4` */
export const outputPath = (render_id: string, attempt_id: string, file_name: string): string =>
  `renders/${render_id}/${attempt_id}/${file_name}`;

/** Assets are addressed by their content, within their project. @param sha256 of the file's bytes, lowercase hex */
export const assetPath = (project_id: string, sha256: string): string => `projects/${project_id}/assets/${sha256}`;
