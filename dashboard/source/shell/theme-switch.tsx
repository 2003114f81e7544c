import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

export const ThemeSwitch = () => {
  const { setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme('light');
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size={30}
      onClick={() => setColorScheme(other)}
      aria-label={`Switch to ${other} mode`}
    >
      {shown === 'dark' ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
    </ActionIcon>
  );
};
