import { Text } from '@mantine/core';
import { useMe } from '../session/me.ts';
import { usePeople } from './people.ts';
import { authorText, fullPersonText, personText } from './person-text.ts';

const Shown = (props: { readonly text: string; readonly hint: string; readonly is_own: boolean }) => (
  <Text span inherit title={props.hint} style={{ overflowWrap: 'anywhere' }}>
    {props.text}
    {props.is_own ? ' (you)' : ''}
  </Text>
);

const useHint = (user_id: string): string => {
  const text = fullPersonText(usePeople(), user_id);
  return text === user_id ? user_id : `${text} · ${user_id}`;
};

/** A person by name. The tooltip has the address and the ID. @param props.with_email also shows the address */
export const Person = ({
  user_id,
  with_email = false,
}: {
  readonly user_id: string;
  readonly with_email?: boolean;
}) => {
  const { user_id: own } = useMe();
  const people = usePeople();
  const email = people.get(user_id)?.email ?? null;
  const text = personText(people, user_id);
  return (
    <>
      <Shown text={text} hint={useHint(user_id)} is_own={user_id === own} />
      {with_email && email !== null && email !== text ? (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
      ) : null}
    </>
  );
};

const USER = 'user:';

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The author of a change. @param props.actor as the log names them @param props.names of keys, by ID */
export const Author = (props: { readonly actor: string; readonly names?: ReadonlyMap<string, string> }) => {
  const { actor, names = NO_NAMES } = props;
  const people = usePeople();
  return actor.startsWith(USER) ? (
    <Person user_id={actor.slice(USER.length)} />
  ) : (
    <Shown text={authorText(people, actor, names)} hint={actor} is_own={false} />
  );
};
