import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { LINK_MINUTES, type LinkState } from './one-time-links.ts';
import { PEOPLE } from './people.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1a1b1e; --dimmed: #495057; --line: #dee2e6; --body: #fff; --shell: #f8f9fa;
  --accent: #3b5bdb; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e9ecef; --dimmed: #adb5bd; --line: #424242; --body: #242424; --shell: #1a1b1e; --accent: #91a7ff; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--shell);
  color: var(--text); font: 15px/1.5 "Inter Variable", Inter, system-ui, sans-serif; }
main { width: 100%; max-width: 420px; padding: 32px; background: var(--body); border: 1px solid var(--line);
  border-radius: 16px; }
.brand { display: flex; align-items: center; gap: 8px; font-weight: 650; }
h1 { margin: 20px 0 8px; font-size: 26px; line-height: 1.3; }
p { margin: 0 0 16px; color: var(--dimmed); }
a { color: var(--accent); }
form + form { margin-top: 8px; }
button { width: 100%; padding: 10px 14px; font: inherit; font-weight: 550; color: #fff; background: #3b5bdb;
  border: 1px solid transparent; border-radius: 8px; cursor: pointer; }
button:hover { background: #364fc7; }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.person { display: flex; align-items: center; gap: 12px; text-align: start; color: inherit; background: none;
  border-color: var(--line); }
.person:hover { background: var(--shell); border-color: var(--accent); }
.person small { display: block; font-weight: 400; color: var(--dimmed); }
.code { margin: 16px 0; font: 600 28px/1.2 ui-monospace, monospace; letter-spacing: 2px; color: var(--text); }
.error { color: #c92a2a; }
@media (prefers-color-scheme: dark) { .error { color: #ffa8a8; } }
input[type=text] { width: 100%; padding: 10px 14px; font: inherit; color: inherit; background: none;
  border: 1px solid var(--dimmed); border-radius: 8px; text-transform: uppercase; }
form > button { margin-top: 8px; }
.deny { color: inherit; background: none; border-color: var(--line); }
.deny:hover { background: var(--shell); border-color: var(--accent); }
.initial { flex: none; width: 34px; height: 34px; display: grid; place-items: center; border-radius: 50%;
  color: #fff; background: #3b5bdb; }
`;

/** The only style that the policy of the pages allows. */
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const BRAND = `<div class="brand"><svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
<rect width="26" height="26" rx="7" fill="#3b5bdb"/><path d="M10 8l8 5-8 5z" fill="#fff"/></svg>Video rendering</div>`;

const page = (title: string, main: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>
<body><main>${BRAND}
<h1>${title}</h1>
${main}
</main></body></html>
`;

const WHY_NO_PASSWORD =
  '<p>This is the identity provider of the embedded stack. It needs no password and serves only this machine.</p>';

export const peoplePage = (uid: string): string => {
  const choices = PEOPLE.map(
    ({ id, name, role }) =>
      `<form method="post" action="/people/${uid}/${id}"><button class="person"><span class="initial" aria-hidden="true">${name.charAt(0)}</span><span>${name}<small>${role}</small></span></button></form>`,
  );
  return page('Who are you?', [WHY_NO_PASSWORD, ...choices].join('\n'));
};

/** Programs that prefetch the link press no button, so the link stays valid. */
export const LINK_PAGE = page(
  'Sign in to the dashboard',
  `<form method="post"><p>This link works once.</p><button autofocus>Sign in</button></form>`,
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

/** A code that the person cannot type, or that another person approved, gets the same page. */
export const userCodePage = (form: string, is_wrong: boolean): string =>
  page(
    'Log in a program',
    `${is_wrong ? '<p class="error" role="alert">This code is wrong, has expired or was already used.</p>' : ''}
<p>Enter the code that <b>renderctl</b> shows in your terminal.</p>
${form.replace('<input\n', '<input aria-label="Code" ').replace('</form>', '<button>Continue</button></form>')}`,
  );

/** The library's form has only hidden members. The buttons belong to it by their place. */
export const confirmPage = (form: string, code: string): string =>
  page(
    'Does your terminal show this code?',
    `<p class="code">${code}</p>
<p><b>renderctl</b> asks to act as you. Approve only if you started it yourself, and your own terminal shows this code.
If somebody sent you the code, deny.</p>
${form.replace('</form>', '<button>Approve</button><button class="deny" name="abort" value="yes">Deny</button></form>')}`,
  );

export const DENIED_PAGE = page('You denied the request', '<p>The program gets no access. Close this page.</p>');

export const APPROVED_PAGE = page('You are logged in', '<p>Close this page, and return to your terminal.</p>');

/** @param sign_in the URL that starts a sign-in: the policy for form targets must allow its redirects */
export const pageHeaders = (sign_in: string): Record<string, string> => {
  const forms = ["'self'", ...(URL.canParse(sign_in) ? [new URL(sign_in).origin] : [])].join(' ');
  return {
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; frame-ancestors 'none'; form-action ${forms}`,
  };
};

export const sendPage = (response: ServerResponse, status: number, body: string, sign_in: string): void => {
  response.writeHead(status, pageHeaders(sign_in));
  response.end(body);
};
