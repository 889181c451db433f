import { attempt, isFault } from './attempt.ts'
import type { AccessNode } from './node.ts'

/**
 * Makes a call that both services have, and learns by it which of the two the node serves. To a node that is known
 * already it is an ordinary call.
 * @param call makes the call with the node's present `service`
 * @throws what the call throws
 */
export async function onItsService<T>(node: AccessNode, call: () => Promise<T>): Promise<T> {
  const first = node.service
  let outcome = await attempt(call())
  if (isFault(outcome, 'unimplemented') && !node.serviceKnown) {
    node.service = first === 'access.AccessAPI' ? 'flow.access.AccessAPI' : 'access.AccessAPI'
    outcome = await attempt(call())
    if (isFault(outcome, 'unimplemented')) node.service = first
  }
  if (outcome.fault !== undefined) throw outcome.error
  node.serviceKnown = true
  return outcome.value
}
