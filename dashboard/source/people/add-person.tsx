import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { FormDialog } from '../shown/form-dialog.tsx';
import { usePeople } from './people.ts';
import { fullPersonText } from './person-text.ts';

type Role = Schemas['Role'];

const ROLES = [
  { value: 'member', label: 'Member: sees everything; can render and cancel' },
  { value: 'admin', label: 'Admin: also manages people, keys and webhooks' },
];

/**
 * Adds a person who already belongs to the account.
 *
 * @param props.present IDs of the people who have the role already
 * @param props.roles whether the person gets a role that is chosen here
 */
export const AddPerson = (props: {
  readonly title: string;
  readonly present: readonly string[];
  readonly roles: boolean;
  readonly add: (user_id: string, role: Role) => Promise<unknown>;
  readonly opened: boolean;
  readonly onClose: () => void;
}) => {
  const { title, present, roles, add, opened, onClose } = props;
  const people = usePeople();
  const [user_id, setUser] = useState<string | null>(null);
  const [role, setRole] = useState<Role>('member');
  const others = [...people].filter(([id]) => !present.includes(id));
  const close = () => {
    setUser(null);
    onClose();
  };
  return (
    <FormDialog
      {...{ opened, title, onClose: close }}
      label="Add"
      ready={user_id !== null}
      send={async () => user_id !== null && (await add(user_id, role))}
    >
      {others.length === 0 ? (
        <Text size="sm">All people of the account are already here. Invite others.</Text>
      ) : (
        <Select
          label="Person"
          description="A person of the account. Invite others."
          placeholder="Choose a person"
          data={others.map(([id]) => ({ value: id, label: fullPersonText(people, id) }))}
          searchable
          value={user_id}
          onChange={setUser}
        />
      )}
      {roles && others.length > 0 ? (
        <Select
          label="Role"
          data={ROLES}
          value={role}
          allowDeselect={false}
          onChange={(value) => setRole(value === 'admin' ? 'admin' : 'member')}
        />
      ) : null}
    </FormDialog>
  );
};
