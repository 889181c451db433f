import { editAnswer } from './fault-edits.ts'
import { defaultMethods, isEditing } from './faults.ts'
import type { EditingFault, EndingFault, Fault, FaultCall, RateLimitFault } from './faults.ts'
import { Refusal } from './node-view.ts'

export interface InjectedFault {
  readonly fault: Fault
  readonly hits: number
  /** Calls that it holds stay held. */
  remove(): void
}

export interface Verdict {
  readonly delayMs: number
  /** The end of a call without an answer. */
  readonly end: Refusal | 'drop-connection' | 'never-answer' | undefined
  /** Applied in order. */
  readonly edits: readonly EditingFault[]
}

const well: Verdict = { delayMs: 0, end: undefined, edits: [] }

export class FaultBook {
  readonly #entries = new Set<Entry>()

  inject(fault: Fault): InjectedFault {
    const entry = new Entry(fault, () => this.#entries.delete(entry))
    this.#entries.add(entry)
    return entry
  }

  clear(): void {
    this.#entries.clear()
  }

  list(): readonly InjectedFault[] {
    return [...this.#entries]
  }

  /** Also counts the call for each fault. @param callOf called only when there are faults */
  judge(callOf: () => FaultCall, hasFailedTransaction: (height: number | undefined) => boolean): Verdict {
    if (this.#entries.size === 0) return well
    const call = callOf()
    let delayMs = 0
    let end: Verdict['end']
    const edits: EditingFault[] = []
    for (const entry of this.#entries) {
      const { fault } = entry
      if (!entry.matches(call)) continue
      if (fault.kind === 'lost-error-message' && !hasFailedTransaction(call.height)) continue
      if (!entry.isDue() || (fault.kind === 'rate-limit' && entry.takeToken(fault))) continue
      entry.hits++
      if (fault.kind === 'latency') delayMs += fault.ms
      else if (isEditing(fault)) edits.push(fault)
      else end ??= endOf(fault, call)
    }
    return { delayMs, end, edits }
  }

  edit(method: string, answer: Buffer, verdict: Verdict): Buffer {
    return verdict.edits.reduce((edited, fault) => editAnswer(method, edited, fault), answer)
  }
}

class Entry implements InjectedFault {
  readonly fault: Fault
  hits = 0
  readonly remove: () => void
  #seen = 0
  #tokens = 0
  #refilledAt: number | undefined

  constructor(fault: Fault, remove: () => void) {
    this.fault = fault
    this.remove = remove
  }

  matches(call: FaultCall): boolean {
    const { fault } = this
    if (fault.kind === 'legacy-only' && call.service === 'access.AccessAPI') return false
    const methods = fault.methods ?? defaultMethods[fault.kind]
    if (methods !== undefined && !methods.includes(call.method)) return false
    const { heights } = fault
    if (heights !== undefined) {
      if (call.height === undefined || call.height < heights.from || call.height > heights.to) return false
    }
    return fault.when === undefined || fault.when(call)
  }

  /** False before `after` and when `times` is used up. */
  isDue(): boolean {
    return ++this.#seen > (this.fault.after ?? 0) && this.hits < (this.fault.times ?? Number.POSITIVE_INFINITY)
  }

  /** @returns whether the call is within the limit */
  takeToken(fault: RateLimitFault): boolean {
    const burst = Math.max(1, fault.burst ?? fault.perSecond)
    const now = performance.now()
    const refill = this.#refilledAt === undefined ? burst : ((now - this.#refilledAt) / 1000) * fault.perSecond
    this.#tokens = Math.min(burst, this.#tokens + refill)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

/** The messages of flow-go and grpc-go. */
function endOf(fault: EndingFault, { service, method }: FaultCall): NonNullable<Verdict['end']> {
  if (fault.kind === 'drop-connection' || fault.kind === 'never-answer') return fault.kind
  if (fault.kind === 'status') {
    return new Refusal(fault.code, fault.message ?? `${fault.code} as told to the replay node`)
  }
  return refusals[fault.kind](service, method)
}

const refusals = {
  'rate-limit': (service: string, method: string) =>
    new Refusal('RESOURCE_EXHAUSTED', `/${service}/${method} rate limit reached, please retry later.`),
  'missing-results': () =>
    new Refusal('NOT_FOUND', 'failed to retrieve results: could not find execution receipts for the block'),
  'no-bulk-calls': (service: string, method: string) =>
    new Refusal('UNIMPLEMENTED', `unknown method ${method} for service ${service}`),
  'legacy-only': (service: string) => new Refusal('UNIMPLEMENTED', `unknown service ${service}`),
  'lost-error-message': () =>
    new Refusal('INTERNAL', 'failed to derive transaction result: transaction failed but error message is empty'),
} as const
