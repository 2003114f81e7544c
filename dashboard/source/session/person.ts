import { askWhoIAm, ME, queryClient } from '../api/query-client.ts';
import { forgetSecrets } from '../secrets/shown-secrets.ts';

/** The owner of this tab's data; null before it has any. */
let held: string | null = null;
/** The person of the last answer; null if no person is signed in. */
let signed_in: string | null | undefined;

/**
 * All tabs of a browser share a cookie, so they share the person: each tab informs the others of the person it sees.
 */
const tabs = new BroadcastChannel('person');

const tellTabs = (person: string | null): void => {
  if (signed_in === person) return;
  signed_in = person;
  tabs.postMessage(person);
};

tabs.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (data !== signed_in) void queryClient.invalidateQueries({ queryKey: ME });
};

// A page that the back button restores may belong to the previous person.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) askWhoIAm();
});

/** Pages about the person, and not about a team or an account. */
const OWN_PAGES = ['/dashboard/invitation', '/dashboard/sessions'];

let is_at_page_of_another = false;

/**
 * Whether the address belongs to the previous person: the new one may have no access to it, and did not request its
 * dialog.
 */
export const isAtPageOfAnother = (): boolean => is_at_page_of_another;

/**
 * Call it only once the pages show the new person, because the first page redirects to a team of the person that it
 * knows.
 */
export const leavePage = (): void => {
  is_at_page_of_another = false;
  window.history.replaceState(null, '', '/dashboard/');
};

const dropQueries = (): void => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });

/**
 * Assigns this tab's data to this person, and removes all data of the previous person.
 *
 * @param person the id of the user, or of the session if it has no user
 */
export const holdFor = (person: string): void => {
  if (held !== null && held !== person) {
    dropQueries();
    forgetSecrets();
    const { pathname } = window.location;
    // Decide this now: accepting an invitation changes the person, and its page then navigates to the team.
    if (OWN_PAGES.includes(pathname)) window.history.replaceState(null, '', pathname);
    else is_at_page_of_another = true;
  }
  held = person;
  tellTabs(person);
};

/**
 * Removes the data when no person is signed in. Secrets stay: each is shown once, and the same person may sign in
 * again.
 */
export const holdForNobody = (): void => {
  dropQueries();
  tellTabs(null);
};
