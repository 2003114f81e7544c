import { Alert, Button, Stack } from '@mantine/core';
import { Copied } from '../shown/secret.tsx';

/** A signing secret, this once. */
export const MadeSecret = ({ secret, onClose }: { readonly secret: string | null; readonly onClose: () => void }) => (
  <Stack>
    {secret === null ? (
      <Alert color="orange" title="It had been made before">
        Its secret was shown then, and nobody can show it again. Rotate it where it was lost.
      </Alert>
    ) : (
      <>
        <Alert color="orange" title="Copy it now">
          It is shown this once. Your receiver checks with it that deliveries are ours (Standard Webhooks).
        </Alert>
        <Copied label="The signing secret" text={secret} />
      </>
    )}
    <Button onClick={onClose}>I have copied it</Button>
  </Stack>
);
