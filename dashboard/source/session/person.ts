import { askWhoIAm, ME, queryClient } from '../api/query-client.ts';
import { forgetSecrets } from '../secrets/shown-secrets.ts';

/** Whose data this tab holds; null before it holds any. */
let held: string | null = null;
/** The person of the last answer; null where nobody is signed in. */
let signed_in: string | null | undefined;

/** All tabs of a browser have one cookie, so one person: a tab tells the others whom it has met. */
const tabs = new BroadcastChannel('person');

const tellTabs = (person: string | null): void => {
  if (signed_in === person) return;
  signed_in = person;
  tabs.postMessage(person);
};

tabs.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (data !== signed_in) void queryClient.invalidateQueries({ queryKey: ME });
};

// A page that comes back as it was, by the back button, may be of the person before.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) askWhoIAm();
});

/** Pages that are about the person, and not about a team or an account. */
const OWN_PAGES = ['/dashboard/invitation', '/dashboard/sessions'];

let is_at_page_of_another = false;

/** Whether the address is one of the person before: this one may have no part in it, and has asked for no dialog that it opens. */
export const isAtPageOfAnother = (): boolean => is_at_page_of_another;

/** Only once the pages are those of the new person: the first page leads those of the person before to a team of theirs. */
export const leavePage = (): void => {
  is_at_page_of_another = false;
  window.history.replaceState(null, '', '/dashboard/');
};

const dropQueries = (): void => queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });

/**
 * From now on this tab holds data of this person. Nothing is left of the person before.
 *
 * @param person an id of the user, or of the session where it has no user
 */
export const holdFor = (person: string): void => {
  if (held !== null && held !== person) {
    dropQueries();
    forgetSecrets();
    const { pathname } = window.location;
    // Decided now: an accepted invitation makes another person, and its page goes on to the team by itself.
    if (OWN_PAGES.includes(pathname)) window.history.replaceState(null, '', pathname);
    else is_at_page_of_another = true;
  }
  held = person;
  tellTabs(person);
};

/** Nobody is signed in. A secret stays: it is shown once, and the same person may sign in again. */
export const holdForNobody = (): void => {
  dropQueries();
  tellTabs(null);
};
