import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export const ThemeSwitch = () => {
  const { setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme('light');
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <Button variant="default" size="xs" onClick={() => setColorScheme(other)} aria-label={`Switch to ${other} mode`}>
      {shown === 'dark' ? '☀' : '☾'}
    </Button>
  );
};
