/** A confined program inherits no variables, only those in `own`. */
export const confinedEnvironment = (
  home: string,
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: home,
  TMPDIR: home,
  // Without this, Node reads the OpenSSL configuration of the system, and exits if it cannot.
  OPENSSL_CONF: '/dev/null',
  ...own,
});
