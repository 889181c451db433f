import { nodeFault } from './node-errors.ts'
import type { FaultKind, NodeFault } from './node-errors.ts'

interface Answer<T> {
  readonly value: T
  readonly fault?: undefined
}

interface Failure {
  readonly fault: NodeFault
  readonly error: unknown
}

/** What became of a call: its answer, or a node's fault. */
export type Outcome<T> = Answer<T> | Failure

/** Waits for a call; a node's fault becomes a value, any other error is thrown. */
export async function attempt<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call }
  } catch (error) {
    const fault = nodeFault(error)
    if (fault === undefined) throw error
    return { fault, error }
  }
}

/** Whether a call failed in one of these ways. */
export function isFault(outcome: Outcome<unknown>, ...kinds: readonly FaultKind[]): boolean {
  return outcome.fault !== undefined && kinds.includes(outcome.fault.kind)
}
