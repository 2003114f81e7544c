const KEPT = 'invitation';

/**
 * Takes the token of an invitation's link out of the address, and keeps it for this tab alone while the person signs
 * in, which leads away from the page and back.
 */
export const keepInvitation = (): void => {
  const { pathname, hash } = window.location;
  if (!pathname.endsWith('/invitation') || hash.length < 2) return;
  sessionStorage.setItem(KEPT, hash.slice(1));
  window.history.replaceState(null, '', pathname);
};

export const keptInvitation = (): string | null => sessionStorage.getItem(KEPT);

export const forgetInvitation = (): void => sessionStorage.removeItem(KEPT);
