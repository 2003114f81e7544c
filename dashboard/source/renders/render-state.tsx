import type { Schemas } from '../api/client.ts';
import { StateBadge } from '../shown/mark.tsx';
import { stateWord } from './state-word.ts';

export const RenderState = (props: { readonly render: Pick<Schemas['RenderInShort'], 'status' | 'failed_as'> }) => (
  <StateBadge word={stateWord(props.render)} />
);
