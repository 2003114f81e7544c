import type { Schemas } from '../../api/client.ts';
import { EngineStill } from '../document/engine-still.tsx';
import { sentDocument } from '../document/sent-document.ts';
import { assetStill } from './asset-uses.ts';

/** A picture of a file of a project. Sounds have an icon. */
export const AssetStill = (props: { readonly team_id: string; readonly asset: Schemas['ProjectAsset'] }) => {
  const { id, kind, sha256, font_family } = props.asset;
  const document = assetStill({ id, kind, sha256 }, font_family);
  const still = async () => ({ project: sentDocument(document ?? {}) });
  const drawn = document === null ? null : { team_id: props.team_id, name: `${kind} ${sha256}`, still };
  return <EngineStill icon={kind} drawn={drawn} />;
};
