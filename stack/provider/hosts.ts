/** Paths that programs request and browsers do not: some endpoints, and the creation of one-time links. */
const OF_PROGRAMS = /^\/(?:\.well-known\/openid-configuration|jwks|token|device\/auth|links\/\w+)$/;

/**
 * Whether the provider answers a request for this host name. Browsers and programs use different names, so that other
 * servers of this machine do not get the provider's cookies. A page that uses DNS rebinding gets no answer.
 *
 * @param issuer the provider's URL for programs
 * @param origin the provider's URL for browsers
 * @param request.host the header, undefined if it is missing
 * @param request.url as sent
 */
export const servesHost = (
  { issuer, origin }: { readonly issuer: string; readonly origin: string },
  { host, url }: { readonly host: string | undefined; readonly url: string },
): boolean => {
  const [path = ''] = url.split('?', 1);
  const wanted = OF_PROGRAMS.test(path) ? issuer : origin;
  return host !== undefined && host.toLowerCase() === new URL(wanted).host;
};
