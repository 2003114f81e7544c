import '@mantine/core/styles.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/noto-sans-devanagari/wght.css';
import './page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { queryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { SecretDialog } from './secrets/secret-dialog.tsx';
import { saveInvitationToken } from './session/invitation-token.ts';
import { resolveCssVariables, THEME } from './theme.ts';

// Saves the invitation's token, which follows the # in the address. A sign-in redirects and drops that part, so this
// comes first.
saveInvitationToken();

/** Styles that the library creates at runtime carry the nonce of this response. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={THEME}
      cssVariablesResolver={resolveCssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Router base="/dashboard">
          <App />
        </Router>
        <SecretDialog />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
