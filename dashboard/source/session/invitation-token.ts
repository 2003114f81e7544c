const KEPT = 'invitation';

/**
 * Moves the invitation's token from the address to this tab's storage, because signing in leaves the page and returns.
 */
export const saveInvitationToken = (): void => {
  const { pathname, hash } = window.location;
  if (!pathname.endsWith('/invitation') || hash.length < 2) return;
  sessionStorage.setItem(KEPT, hash.slice(1));
  window.history.replaceState(null, '', pathname);
};

export const savedInvitationToken = (): string | null => sessionStorage.getItem(KEPT);

export const clearInvitationToken = (): void => sessionStorage.removeItem(KEPT);
