import type { EventShape } from '../event-shape.ts'
import type { FieldPlan } from './type-plan.ts'

/** The bytes before the value, which are the same in every event of one type, and what they say. */
export interface CachedPlan {
  readonly prefix: Buffer
  readonly plan: EventPlan
  /** Memory that both take. */
  readonly bytes: number
}

/** How the events of one shape are decoded: by the same object, as long as it is kept. */
export interface EventPlan {
  readonly shape: EventShape
  readonly fields: readonly FieldPlan[]
}

interface TypeEntry {
  plans: CachedPlan[]
  /** The clock at the last use. */
  used: number
}

/**
 * Compiled plans by event type. A type can have several prefixes: a contract update may change the fields. Anyone can
 * deploy event types without end, so types, prefixes for each and bytes are bounded; when full, the least recently used
 * quarter of the types is removed.
 */
export class PlanCache {
  readonly #types = new Map<string, TypeEntry>()
  readonly #maxTypes: number
  readonly #maxBytes: number
  #bytes = 0
  #clock = 0

  /** @param limits types, and bytes of memory; a plan of more than 1/64 of the bytes is not kept */
  constructor(limits: { types: number; bytes: number } = { types: 8192, bytes: 64 * 1024 * 1024 }) {
    this.#maxTypes = limits.types
    this.#maxBytes = limits.bytes
  }

  /** Types kept now. */
  get size(): number {
    return this.#types.size
  }

  /** Bytes of memory of the plans kept now. */
  get bytes(): number {
    return this.#bytes
  }

  /** The plan whose prefix the payload starts with. */
  find(type: string, payload: Buffer): CachedPlan | undefined {
    const entry = this.#types.get(type)
    if (entry === undefined) return undefined
    entry.used = ++this.#clock
    const { plans } = entry
    const first = plans[0] as CachedPlan
    if (startsWith(payload, first.prefix)) return first
    const at = plans.findIndex(({ prefix }) => startsWith(payload, prefix))
    if (at === -1) return undefined
    // Events in a row mostly have the same form.
    const found = plans[at] as CachedPlan
    plans[at] = first
    plans[0] = found
    return found
  }

  /** Keeps a plan. `prefix` is copied, since payloads are views into larger buffers. @param bytes of memory of both */
  add(type: string, prefix: Buffer, plan: EventPlan, bytes = prefix.length): void {
    if (bytes > this.#maxBytes / 64) return
    const entry = this.#types.get(type) ?? { plans: [], used: 0 }
    this.#bytes += bytes
    entry.used = ++this.#clock
    entry.plans.unshift({ prefix: Buffer.from(prefix), plan, bytes })
    if (entry.plans.length > maxPrefixes) this.#bytes -= entry.plans.pop()?.bytes ?? 0
    this.#types.set(type, entry)
    while (this.#types.size > this.#maxTypes || this.#bytes > this.#maxBytes) this.#evict()
  }

  #evict(): void {
    const byAge = [...this.#types].sort(([, left], [, right]) => left.used - right.used)
    for (const [type, { plans }] of byAge.slice(0, Math.ceil(byAge.length / 4))) {
      for (const { bytes } of plans) this.#bytes -= bytes
      this.#types.delete(type)
    }
  }
}

/** Forms of one type that are kept side by side. */
const maxPrefixes = 8

function startsWith(payload: Buffer, prefix: Buffer): boolean {
  const { length } = prefix
  if (payload.length < length) return false
  for (let i = 0; i < length; i++) if (payload[i] !== prefix[i]) return false
  return true
}
