import { Text } from '@mantine/core';
import { useMe } from '../session/me.ts';
import { usePeople } from './people.ts';
import { authorText, personText } from './person-text.ts';

const Shown = (props: { readonly text: string; readonly id: string; readonly is_own: boolean }) => (
  <Text span inherit title={props.id} style={{ overflowWrap: 'anywhere' }}>
    {props.text}
    {props.is_own ? ' (you)' : ''}
  </Text>
);

/** A person by e-mail address, with the ID in the tooltip. */
export const Person = ({ user_id }: { readonly user_id: string }) => {
  const { user_id: own } = useMe();
  return <Shown text={personText(usePeople(), user_id)} id={user_id} is_own={user_id === own} />;
};

/** The author of a change. @param actor as the log names them */
export const Author = ({ actor }: { readonly actor: string }) => {
  const { user_id: own } = useMe();
  return <Shown text={authorText(usePeople(), actor)} id={actor} is_own={actor === `user:${own}`} />;
};
