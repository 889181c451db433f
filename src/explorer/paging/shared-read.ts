import type { DatabasePool } from 'slonik'

const maxAgeMs = 15_000
/** Maximum age during a reload. */
const staleMs = 45_000

interface SharedValue<Value> {
  readonly value: Value
  readonly readAt: number
}

/** Reads whole tables at most every 15 seconds for all requests. */
export function sharedRead<Value>(
  load: (database: DatabasePool) => Promise<Value>,
): (database: DatabasePool) => Promise<Value> {
  const values = new WeakMap<DatabasePool, SharedValue<Value>>()
  const inFlight = new WeakMap<DatabasePool, Promise<Value>>()

  function refresh(database: DatabasePool): Promise<Value> {
    const readAt = performance.now()
    const loading = load(database)
    inFlight.set(database, loading)
    loading
      .then(
        (value) => values.set(database, { value, readAt }),
        () => undefined,
      )
      .finally(() => inFlight.delete(database))
    return loading
  }

  return async (database) => {
    const current = values.get(database)
    const age = performance.now() - (current?.readAt ?? -Infinity)
    if (current !== undefined && age < maxAgeMs) return current.value
    const next = inFlight.get(database) ?? refresh(database)
    return current !== undefined && age < maxAgeMs + staleMs ? current.value : await next
  }
}
