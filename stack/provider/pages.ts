import type { ServerResponse } from 'node:http';
import { LINK_MINUTES, type LinkState } from './one-time-links.ts';
import { PEOPLE } from './people.ts';

const page = (title: string, main: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>${title}</h1>
${main}
</main></body></html>
`;

const WHY_NO_PASSWORD =
  '<p>This is the identity provider of the embedded stack. It needs no password and serves only this machine.</p>';

export const peoplePage = (uid: string): string => {
  const choices = PEOPLE.map(
    ({ id, name }) => `<form method="post" action="/people/${uid}/${id}"><button>${name}</button></form>`,
  );
  return page('Who are you?', [WHY_NO_PASSWORD, ...choices].join('\n'));
};

/** Programs that prefetch the link press no button, so the link stays valid. */
export const LINK_PAGE = page(
  'Sign in to the dashboard',
  `<form method="post"><p>This link works once. <button autofocus>Sign in</button></p></form>`,
);

const OVER: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  used: 'This link was already used',
  over: 'This link has expired',
};

export const invalidLinkPage = (standing: Exclude<LinkState, 'open'>, sign_in: string): string =>
  page(
    OVER[standing],
    `<p>A link works once, within ${LINK_MINUTES} minutes, while its stack is running.</p>
<p><a href="${sign_in}">Sign in without the link</a>: choose a person there. No password is needed.</p>`,
  );

/** @param sign_in the URL that starts a sign-in: the policy for form targets must allow its redirects */
export const sendPage = (response: ServerResponse, status: number, body: string, sign_in: string): void => {
  const forms = ["'self'", ...(URL.canParse(sign_in) ? [new URL(sign_in).origin] : [])].join(' ');
  response.writeHead(status, {
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${forms}`,
  });
  response.end(body);
};
