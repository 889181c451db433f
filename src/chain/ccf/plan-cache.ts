import type { EventShape } from '../event-shape.ts'
import type { FieldPlan } from './composite-plan.ts'

/** The bytes before the value, which are the same in every event of one type, and what they say. */
export interface CachedPlan {
  readonly prefix: Buffer
  readonly plan: EventPlan
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
 * deploy event types without end, so types, prefixes for each and bytes are bounded; when full, the quarter of the
 * types that was not used for the longest time goes.
 */
export class PlanCache {
  readonly #types = new Map<string, TypeEntry>()
  readonly #maxTypes: number
  readonly #maxBytes: number
  #bytes = 0
  #clock = 0

  /** @param limits most types, and most bytes of prefixes; a prefix of more than 1/64 of the bytes is not kept */
  constructor(limits: { types: number; bytes: number } = { types: 8192, bytes: 16 * 1024 * 1024 }) {
    this.#maxTypes = limits.types
    this.#maxBytes = limits.bytes
  }

  /** Types kept now. */
  get size(): number {
    return this.#types.size
  }

  /** Bytes of prefixes kept now. */
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

  /** Keeps a plan. `prefix` is copied, since payloads are views into larger buffers. */
  add(type: string, prefix: Buffer, plan: EventPlan): void {
    if (prefix.length > this.#maxBytes / 64) return
    const entry = this.#types.get(type) ?? { plans: [], used: 0 }
    this.#bytes += prefix.length
    entry.used = ++this.#clock
    entry.plans.unshift({ prefix: Buffer.from(prefix), plan })
    if (entry.plans.length > maxPrefixes) this.#bytes -= entry.plans.pop()?.prefix.length ?? 0
    this.#types.set(type, entry)
    while (this.#types.size > this.#maxTypes || this.#bytes > this.#maxBytes) this.#evict()
  }

  #evict(): void {
    const byAge = [...this.#types].sort(([, left], [, right]) => left.used - right.used)
    for (const [type, { plans }] of byAge.slice(0, Math.ceil(byAge.length / 4))) {
      for (const { prefix } of plans) this.#bytes -= prefix.length
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
