export async function* inChunks<A>(all: AsyncIterable<A>, size: number): AsyncIterable<readonly A[]> {
  let chunk: A[] = [];
  for await (const one of all) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
