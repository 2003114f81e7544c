/** @param id holds nothing that would have to be escaped */
export const renderPath = (id: string): string => `/v1/renders/${id}`;

/** Where a render's history is: the Render itself keeps the specified shape, so this goes into its `Link` header. */
export const transitionsLink = (id: string): string => `<${renderPath(id)}/transitions>; rel="describedby"`;
