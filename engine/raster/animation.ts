import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isTooLarge, TOO_LARGE } from './animation-size.ts';
import { type Canvas, compositeOver, emptyCanvas, surroundedPage } from './canvas.ts';
import { inkRegion } from './drawing-extent.ts';
import { evenAround, fitInto, grownBy, intersection, type Region } from './geometry.ts';
import { fittedPages, type OpenImage, openImage, UnreadableImage } from './image.ts';
import { type Animation, drawnFile, type InkedAnimation } from './raster-job.ts';
import { middleOf, rotateCanvas, rotatedRegion } from './turn.ts';

const STILL = { frame_ms: 1000, frames_of: [1], frames: 1 };

const isSame = (a: Region, b: Region): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

const composePage = (page: Canvas, { box, rotation, opacity, surround }: Animation, region: Region): Canvas => {
  if (rotation % 360 === 0 && opacity === 1 && isSame(page.region, region)) return surroundedPage(page, surround);
  const canvas = emptyCanvas(region);
  compositeOver(canvas, rotation % 360 === 0 ? page : rotateCanvas(page, rotation, middleOf(box), region), opacity);
  return surroundedPage(canvas, surround);
};

async function* framesOf(
  image: OpenImage,
  frames_of: readonly number[],
  animation: Animation,
  region: Region,
): AsyncGenerator<Buffer> {
  const { box, fit, rotation } = animation;
  const within = rotation % 360 === 0 ? region : box;
  let page = 0;
  for await (const drawn of fittedPages(image, { box, fit, within }, frames_of.length)) {
    const { pixels } = composePage(drawn, animation, region);
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
  const whole = fitInto(image.metadata.autoOrient, animation.box, animation.fit);
  const inked_region = intersection(
    rotatedRegion(whole, animation.rotation, middleOf(animation.box)),
    animation.region,
  );
  const visible = inked_region === null ? null : intersection(inked_region, inkRegion({ kind: 'image', ...animation }));
  if (visible === null) return null;
  const region = evenAround(visible);
  const { frame_ms, frames_of, frames } = image.timing ?? STILL;
  if (isTooLarge(frames, region)) throw new UnreadableImage(TOO_LARGE);
  await pipeline(framesOf(image, frames_of, animation, region), createWriteStream(drawnFile(folder, animation)));
  return { id: animation.id, region: grownBy(region, animation.surround.margin), frame_ms, frames };
};
