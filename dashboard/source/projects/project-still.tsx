import type { Schemas } from '../api/client.ts';
import { ThumbnailImage } from '../shown/still.tsx';
import { EngineStill } from './document/engine-still.tsx';

/** The thumbnail of the newest version. A version that was not rendered yet has none, so the engine draws a still. */
export const ProjectStill = (props: { readonly project: Schemas['Project']; readonly large?: boolean }) => {
  const { project, large = true } = props;
  const { id, team_id, version, thumbnail_url, thumbnail_version } = project;
  if (version === 0 || thumbnail_version === version) return <ThumbnailImage url={thumbnail_url} large={large} />;
  const drawn = { team_id, name: `${id} ${version}`, still: async () => ({ project_id: id }) };
  return <EngineStill drawn={drawn} former={thumbnail_url} large={large} />;
};
