import { Select } from '@mantine/core';

const DAY_MS = 86_400_000;

const CHOICES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

export const expiresAt = (choice: string): number | null =>
  choice === 'never' ? null : Date.now() + Number(choice) * DAY_MS;

export const ExpirySelect = (props: { readonly value: string; readonly onChange: (value: string) => void }) => (
  <Select
    label="Expires"
    data={CHOICES}
    value={props.value}
    allowDeselect={false}
    onChange={(value) => value !== null && props.onChange(value)}
  />
);
