export const setTimeout = <A>(ms: number, value: A, { signal }: { readonly signal?: AbortSignal } = {}): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => resolve(value), ms);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', end, { once: true });
  });
