/**
 * Maps with at most `limit` calls of `map` under way. The first error ends it: nothing new is begun, and what is under
 * way is waited for.
 * @returns the results in the order of the items
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    while (next < items.length && failure === undefined) {
      const index = next++
      try {
        results[index] = await map(items[index] as T, index)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failure !== undefined) throw failure.error
  return results
}
