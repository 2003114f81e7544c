import { Text } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { StateBadge } from '../shown/mark.tsx';
import { codeText } from './failure-text.ts';
import { stateWord } from './state-word.ts';

type Props = { readonly render: Pick<Schemas['RenderInShort'], 'status' | 'failed_as'> };

export const RenderState = (props: Props) => <StateBadge word={stateWord(props.render)} />;

/** Also says why the render failed. */
export const RenderStateWithReason = ({ render }: Props) => (
  <>
    <RenderState render={render} />
    {render.failed_as === null || render.failed_as === 'cancelled' ? null : (
      <Text size="xs" c="dimmed">
        {codeText(render.failed_as)}
      </Text>
    )}
  </>
);
