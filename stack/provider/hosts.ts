/** What programs ask for: the endpoints without a browser, and links that sign in once. */
const OF_PROGRAMS = /^\/(?:\.well-known\/openid-configuration|jwks|token|links\/\w+)$/;

/**
 * Whether the provider answers a request under this host name. Browsers have a name of their own, so that its cookies go to no
 * other server of this machine; and no page whose name was rebound to this machine may speak to it.
 *
 * @param issuer where programs find it
 * @param origin where browsers find it
 * @param request.host the header, undefined where there is none
 * @param request.url as it was sent
 */
export const isAnsweredAt = (
  { issuer, origin }: { readonly issuer: string; readonly origin: string },
  { host, url }: { readonly host: string | undefined; readonly url: string },
): boolean => {
  const [path = ''] = url.split('?', 1);
  const wanted = OF_PROGRAMS.test(path) ? issuer : origin;
  return host !== undefined && host.toLowerCase() === new URL(wanted).host;
};
