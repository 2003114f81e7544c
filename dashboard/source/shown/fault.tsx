import { Alert, Button } from '@mantine/core';
import { ApiRefusal } from '../api/client.ts';
import { signInAddress } from '../session/sign-in-address.ts';
import { messageText } from './message-text.ts';

export const ErrorMessage = ({ error, retry }: { readonly error: Error | null; readonly retry?: () => unknown }) => {
  if (error === null) return null;
  const refused = error instanceof ApiRefusal;
  const needs_sign_in = refused && error.code === 'fresh_sign_in_needed';
  const text = refused
    ? messageText(error.message)
    : navigator.onLine
      ? 'The service is not responding. Check your connection and try again.'
      : 'You are offline. Try again when you are connected.';
  return (
    <Alert color="red" title="Something went wrong" role="alert">
      {text}
      {needs_sign_in ? (
        <Button component="a" href={signInAddress({ fresh: true })} size="xs" mt="sm" display="block" w="fit-content">
          Sign in again
        </Button>
      ) : retry === undefined ? null : (
        <Button onClick={() => void retry()} size="xs" mt="sm" variant="default" display="block">
          Try again
        </Button>
      )}
    </Alert>
  );
};
