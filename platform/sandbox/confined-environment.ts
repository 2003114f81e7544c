/** All that a confined program sees of an environment, beside what it is given by name. Nothing is inherited. */
export const confinedEnvironment = (
  home: string,
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: home,
  TMPDIR: home,
  // Node ends where it may not read the system's.
  OPENSSL_CONF: '/dev/null',
  ...own,
});
