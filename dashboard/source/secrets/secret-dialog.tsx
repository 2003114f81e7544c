import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { Copied } from '../shown/secret.tsx';
import { dismissSecret, type Secret, useShownSecret } from './shown-secrets.ts';

/** Above the forms and confirmations of pages, which are at 200. */
const Z_INDEX = 250;

const TITLES: Readonly<Record<Secret['kind'], string>> = {
  key: 'The new API key',
  signing_secret: 'The signing secret',
  invitation: 'The invitation',
};

const curlLine = (key: string): string =>
  `curl ${window.location.origin}/v1/projects \\
  -H "Authorization: Bearer ${key}"`;

/** The token stands behind `#`, which browsers send to no server and no log has. */
const linkOf = (token: string): string => `${window.location.origin}/dashboard/invitation#${token}`;

const Key = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Copy it now">
      This page shows the key once, and the service does not store it. Keep it where only your programs find it.
    </Alert>
    <Copied label="The key" text={text} />
    <Copied label="Try it" text={curlLine(text)} />
    <Text size="sm" c="dimmed">
      It opens everything of its teams in the API, at once.
    </Text>
  </>
);

const SigningSecret = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Copy it now">
      This page shows the secret once. Your receiver checks with it that deliveries are ours (Standard Webhooks).
    </Alert>
    <Copied label="The signing secret" text={text} />
  </>
);

const Invitation = ({ text }: { readonly text: string }) => (
  <>
    <Alert color="orange" title="Pass it on now">
      This page shows the link once. The link works once, within 7 days. The first person who opens it gets the role:
      give it to the right person only.
    </Alert>
    <Copied label="The link" text={linkOf(text)} />
  </>
);

const CONTENTS = { key: Key, signing_secret: SigningSecret, invitation: Invitation } as const;

const Repeated = () => (
  <Alert color="orange" title="It was created before">
    The first answer showed the secret, and nobody can show it again. If you do not have it, rotate it.
  </Alert>
);

/**
 * The secret that was just made. Nothing but its button closes it: the dialog is above all pages, so that neither another page
 * nor a changed row takes it away.
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
        <Button onClick={dismissSecret}>{text === null ? 'Close' : 'I have copied it'}</Button>
      </Stack>
    </Modal>
  );
};
