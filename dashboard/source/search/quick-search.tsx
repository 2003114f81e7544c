import { ActionIcon, Button, Kbd, Modal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { People } from '../people/people.ts';
import type { Me } from '../session/me.ts';
import type { Entry } from '../shell/entries.ts';
import { SearchBox } from './search-box.tsx';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Ctrl+K and Cmd+K too, because some keyboards have no plain slash. Not while another dialog is open. */
const isShortcut = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  document.querySelector('[role=dialog]') === null &&
  (ctrlKey || metaKey ? key.toLowerCase() === 'k' : key === '/' && !altKey && !isTyping(target));

/** Finds pages, projects, renders and people of a team by keyboard. Nothing that was typed is stored. */
export const QuickSearch = (props: {
  readonly team: Me['teams'][number] | undefined;
  readonly entries: readonly Entry[];
  readonly people: People;
}) => {
  const [opened, setOpened] = useState(false);
  useWindowEvent('keydown', (event) => {
    if (!isShortcut(event)) return;
    event.preventDefault();
    setOpened(true);
  });
  const close = () => setOpened(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        c="dimmed"
        visibleFrom="sm"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<Kbd size="xs">/</Kbd>}
        onClick={() => setOpened(true)}
      >
        Search
      </Button>
      <ActionIcon variant="default" size={30} hiddenFrom="sm" aria-label="Search" onClick={() => setOpened(true)}>
        <IconSearch size={16} aria-hidden />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title="Search" centered={false} yOffset="10vh" size="lg">
        <SearchBox {...props} close={close} />
      </Modal>
    </>
  );
};
