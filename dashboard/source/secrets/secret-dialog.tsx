import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { CopyableText } from '../shown/secret.tsx';
import { dismissSecret, type Secret, useShownSecret } from './shown-secrets.ts';

/** Above the dialogs of pages, which have 200. */
const Z_INDEX = 250;

const TITLES: Readonly<Record<Secret['kind'], string>> = {
  key: 'New API key',
  signing_secret: 'Signing secret',
  invitation: 'Invitation link',
};

const curlLine = (key: string): string =>
  `curl ${window.location.origin}/v1/projects \\
  -H "Authorization: Bearer ${key}"`;

/** Browsers never send the fragment to a server, so no log has the token. */
const linkOf = (token: string): string => `${window.location.origin}/dashboard/invitation#${token}`;

const Key = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Copy it now">
      This key is shown only once. Store it where only your programs can read it.
    </Alert>
    <CopyableText label="API key" text={text} />
    <CopyableText label="Try it" text={curlLine(text)} />
    <Text size="sm" c="dimmed">
      The key works immediately, for everything in its teams.
    </Text>
  </>
);

const SigningSecret = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Copy it now">
      This secret is shown only once. Your receiver uses it to verify the signatures of deliveries (Standard Webhooks).
    </Alert>
    <CopyableText label="Signing secret" text={text} />
  </>
);

const Invitation = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Send it now">
      This link is shown only once. It works once and expires in 7 days. Send it only to the person that you invite.
    </Alert>
    <CopyableText label="Invitation link" text={linkOf(text)} />
  </>
);

const CONTENTS = { key: Key, signing_secret: SigningSecret, invitation: Invitation } as const;

const Repeated = () => (
  <Alert color="orange" title="Already created">
    The secret was already shown and cannot be shown again. If you lost it, rotate it.
  </Alert>
);

/**
 * Only its button closes it. The dialog is outside of the pages, so navigation and changed rows do not remove the
 * secret.
 */
export const SecretDialog = () => {
  const secret = useShownSecret();
  if (secret === null) return null;
  const { kind, text } = secret;
  const Content = CONTENTS[kind];
  return (
    <Modal
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={TITLES[kind]}
      size="lg"
      zIndex={Z_INDEX}
      transitionProps={{ duration: 0 }}
    >
      <Stack>
        {text === null ? <Repeated /> : <Content text={text} />}
        <Button onClick={dismissSecret}>{text === null ? 'Close' : 'I copied it'}</Button>
      </Stack>
    </Modal>
  );
};
