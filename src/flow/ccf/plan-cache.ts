import type { EventShape } from '../event-shape.ts'
import type { FieldPlan } from './type-plan.ts'

/** `prefix` is equal in all events of a shape. */
export interface CachedPlan {
  readonly prefix: Buffer
  readonly plan: EventPlan
  /** Memory of both. */
  readonly bytes: number
}

/** One object per shape, while cached. */
export interface EventPlan {
  readonly shape: EventShape
  readonly fields: readonly FieldPlan[]
}

interface TypeEntry {
  plans: CachedPlan[]
  used: number
}

/**
 * A type can have several prefixes after contract updates. Anyone can deploy event types, so all
 * numbers are bounded; a full cache evicts the least recently used quarter of the types.
 */
export class PlanCache {
  readonly #types = new Map<string, TypeEntry>()
  readonly #maxTypes: number
  readonly #maxBytes: number
  #bytes = 0
  #clock = 0

  /** @param limits plans above 1/64 of the bytes are not cached */
  constructor(limits: { types: number; bytes: number } = { types: 8192, bytes: 64 * 1024 * 1024 }) {
    this.#maxTypes = limits.types
    this.#maxBytes = limits.bytes
  }

  get size(): number {
    return this.#types.size
  }

  get bytes(): number {
    return this.#bytes
  }

  find(type: string, payload: Buffer): CachedPlan | undefined {
    const entry = this.#types.get(type)
    if (entry === undefined) return undefined
    entry.used = ++this.#clock
    const { plans } = entry
    const first = plans[0] as CachedPlan
    if (startsWith(payload, first.prefix)) return first
    const at = plans.findIndex(({ prefix }) => startsWith(payload, prefix))
    if (at === -1) return undefined
    // Consecutive events usually have the same shape.
    const found = plans[at] as CachedPlan
    plans[at] = first
    plans[0] = found
    return found
  }

  /** Copies `prefix`, a view of a larger buffer. @param bytes memory of both */
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

const maxPrefixes = 8

function startsWith(payload: Buffer, prefix: Buffer): boolean {
  const { length } = prefix
  if (payload.length < length) return false
  for (let i = 0; i < length; i++) if (payload[i] !== prefix[i]) return false
  return true
}
