import { Button, Checkbox, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { creditsText } from '../account/credits-query.ts';
import { useBalance } from '../new-video/price.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { counted, type Readiness } from './counts.ts';

/** Why the rows cannot be rendered now; null if they can. */
const obstacle = ({ valid, unchecked, price }: Readiness, balance: number | null): string | null => {
  if (unchecked > 0) return null;
  if (valid.length === 0) return 'Correct the marked cells first.';
  return balance !== null && price > balance
    ? `Not enough credits: ${creditsText(Math.max(balance, 0))} left. Ask an owner for more, or remove rows.`
    : null;
};

const faultText = ({ faulty, valid }: Readiness): string =>
  `${faulty === 1 ? '1 row has a fault' : `${faulty.toLocaleString()} rows have faults`}. Correct ${
    faulty === 1 ? 'it' : 'them'
  }${valid.length === 0 ? '' : `, or render the other ${valid.length.toLocaleString()}`}.`;

/** The price of the rows, and the button that renders them. */
export const OrderPanel = (props: {
  readonly team_id: string;
  readonly readiness: Readiness;
  readonly total: number;
  readonly draft: boolean;
  readonly setDraft: (draft: boolean) => void;
  readonly check_error: Error | null;
  readonly checkAgain: () => void;
  readonly order: () => void;
  readonly startOver: () => void;
}) => {
  const { team_id, readiness, total, draft, setDraft, check_error, checkAgain, order, startOver } = props;
  const { valid, price, faulty, unchecked } = readiness;
  const balance = useBalance(team_id);
  const reason = obstacle(readiness, balance);
  const is_ready = unchecked === 0 && reason === null;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <ErrorMessage error={check_error} retry={checkAgain} />
        <div role="status">
          {unchecked > 0 ? (
            <Stack gap={4}>
              <Text size="sm">
                Checking the rows: {(total - unchecked).toLocaleString()} of {total.toLocaleString()}
              </Text>
              <Progress value={((total - unchecked) / total) * 100} aria-label="Checked rows" />
            </Stack>
          ) : null}
          {faulty === 0 ? null : <Text size="sm">{faultText(readiness)}</Text>}
          {reason === null ? null : (
            <Text size="sm" c="var(--danger-text)">
              {reason}
            </Text>
          )}
        </div>
        <Group justify="space-between" gap="sm">
          <Stack gap={4}>
            <Checkbox
              label="Drafts: smaller, faster and cheaper"
              checked={draft}
              onChange={({ currentTarget }) => setDraft(currentTarget.checked)}
            />
            {balance === null ? null : (
              <Text size="sm" c="dimmed">
                Balance: {creditsText(balance)}
              </Text>
            )}
          </Stack>
          <Group gap="xs">
            <Button variant="default" onClick={startOver}>
              Start over
            </Button>
            <Button disabled={!is_ready} onClick={order}>
              {is_ready
                ? `Render ${valid.length.toLocaleString()} for ${creditsText(price)}`
                : `Render ${counted(total, 'row')}`}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
};
