import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ANIMATION_TOO_LARGE, isAnimationTooLarge } from './animation-size.ts';
import { addEdgePadding, type Canvas, compositeOver, emptyCanvas } from './canvas.ts';
import { inkRegion } from './drawing-extent.ts';
import { effectReach, regionWithEffects, withEffects } from './effects.ts';
import { croppedRegion } from './framing.ts';
import { expandRegion, expandToEven, fitInto, intersection, type Region } from './geometry.ts';
import { fitPages, type OpenImage, openImage, UnreadableImage } from './image.ts';
import { type Animation, type InkedAnimation, rasterFilePath } from './raster-job.ts';
import { centerOf, rotateCanvas, rotatedRegion } from './turn.ts';

const STILL = { frame_ms: 1000, frames_of: [1], frames: 1 };

const isSame = (a: Region, b: Region): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

const composePage = (page: Canvas, { box, rotation, opacity, surround }: Animation, region: Region): Canvas => {
  if (rotation % 360 === 0 && opacity === 1 && isSame(page.region, region)) return addEdgePadding(page, surround);
  const canvas = emptyCanvas(region);
  compositeOver(canvas, rotation % 360 === 0 ? page : rotateCanvas(page, rotation, centerOf(box), region), opacity);
  return addEdgePadding(canvas, surround);
};

async function* framesOf(
  image: OpenImage,
  frames_of: readonly number[],
  animation: Animation,
  region: Region,
): AsyncGenerator<Buffer> {
  const { box, rotation } = animation;
  const within = rotation % 360 === 0 ? expandRegion(region, effectReach(animation)) : box;
  let page = 0;
  for await (const drawn of fitPages(image, { ...animation, within }, frames_of.length)) {
    const { shadow } = animation;
    const page_with_shadow = shadow === undefined ? drawn : await withEffects(drawn, { shadow });
    const { pixels } = composePage(page_with_shadow, animation, region);
    for (let remaining = frames_of[page] ?? 0; remaining > 0; remaining -= 1) yield pixels;
    page += 1;
  }
}

/** Null if no pixel is visible. Throws UnreadableImage. */
export const drawAnimation = async (
  animation: Animation,
  asset: string,
  folder: string,
): Promise<InkedAnimation | null> => {
  const image = await openImage(asset);
  const source = croppedRegion(image.metadata.autoOrient, animation.crop);
  const whole = fitInto(source, animation.box, animation.fit);
  const shown = regionWithEffects(whole, animation, true);
  const inked_region = intersection(
    rotatedRegion(shown, animation.rotation, centerOf(animation.box)),
    animation.region,
  );
  const visible = inked_region === null ? null : intersection(inked_region, inkRegion({ kind: 'image', ...animation }));
  if (visible === null) return null;
  const region = expandToEven(visible);
  const { frame_ms, frames_of, frames } = image.timing ?? STILL;
  if (isAnimationTooLarge(frames, region)) throw new UnreadableImage(ANIMATION_TOO_LARGE);
  await pipeline(framesOf(image, frames_of, animation, region), createWriteStream(rasterFilePath(folder, animation)));
  return { id: animation.id, region: expandRegion(region, animation.surround.margin), frame_ms, frames };
};
