import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../flow/chain-reader.ts'
import { chooseNode } from './node-choice.ts'
import { nodeFault } from './node-errors.ts'
import type { NodeFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'
import type { SourceContext } from './source-context.ts'

/** Stands for the newest state where nodes are chosen by height: above every height that there is. */
const newest = Number.MAX_SAFE_INTEGER

/** So many failures in a row that may lie in what was asked are the node's fault. */
const stumblesUntilRest = 5

export interface NodeQuestion<T> {
  /** What the state must be of; undefined: the newest. `unknown` is of a block that any node may have. */
  readonly height: number | 'unknown' | undefined
  readonly ask: (node: AccessNode, context: CallContext) => Promise<T>
}

/**
 * Asks one node after the other, the most fitting first and each once, until one answers. It does not wait for a node
 * that rests: whoever asks has other things to ask or a person who waits, and tries again later.
 * @throws the errors of ChainReader, the one that says most of what was asked
 */
export async function askNodes<T>(context: SourceContext, question: NodeQuestion<T>, signal: AbortSignal): Promise<T> {
  const height = question.height === 'unknown' ? undefined : question.height
  const nodes = question.height === undefined ? newestOf(context) : context.usableNodes()
  const tried = new Set<AccessNode>()
  const faults: { readonly fault: NodeFault; readonly error: unknown }[] = []
  for (;;) {
    signal.throwIfAborted()
    const node = chooseNode(nodes, height ?? newest, tried)
    if (node === undefined) throw verdict(faults, height)
    tried.add(node)
    // A resting node is only asked where it is the last hope, so that its state is learned anew.
    if (node.restingForMs > 0 && tried.size > 1) continue
    const started = performance.now()
    node.requestStarted()
    try {
      const answer = await question.ask(node, context.callContext(signal))
      context.recovered(node)
      return answer
    } catch (error) {
      signal.throwIfAborted()
      const fault = nodeFault(error)
      if (fault === undefined) throw error
      if (fault.kind === 'refused' || fault.kind === 'script-limit') {
        context.recovered(node)
        throw new ScriptFailedError(fault.message, error)
      }
      faults.push({ fault, error })
      judge(context, node, fault, started)
    } finally {
      node.requestEnded()
    }
  }
}

/** Live nodes of a past spork have no present. */
function newestOf(context: SourceContext): AccessNode[] {
  const usable = context.usableNodes()
  return context.liveNodes.filter((node) => usable.includes(node))
}

function judge(context: SourceContext, node: AccessNode, fault: NodeFault, started: number): void {
  switch (fault.kind) {
    case 'below-root':
    case 'not-found':
    case 'not-ready':
      context.recovered(node)
      if (fault.rootHeight !== undefined) node.raiseRoot(fault.rootHeight)
      return
    case 'rate-limited':
    case 'unimplemented':
      return
    case 'internal':
    case 'timeout':
    case 'too-large':
      if (++node.stumbles >= stumblesUntilRest) context.rest(node, fault.message, started)
      return
    default:
      context.rest(node, fault.message, started)
  }
}

function verdict(
  faults: readonly { readonly fault: NodeFault; readonly error: unknown }[],
  height: number | undefined,
): Error {
  const find = (...kinds: readonly NodeFault['kind'][]) => faults.find(({ fault }) => kinds.includes(fault.kind))
  const timeout = find('timeout')
  if (timeout !== undefined) return new ChainCallFailedError(timeout.fault.message, timeout.error)
  const broken = find('internal', 'too-large', 'malformed')
  if (broken !== undefined) return new ChainCallFailedError(broken.fault.message, broken.error)
  const away = find('rate-limited', 'unavailable', 'unimplemented')
  if (away !== undefined) return new ChainUnavailableError(away.fault.message, away.error)
  const absent = faults.at(-1)
  if (absent !== undefined) return new StateNotServedError(absent.fault.message, absent.error)
  if (height === undefined) return new ChainUnavailableError('no node follows the head of the chain', undefined)
  return new StateNotServedError(`no node reaches as low as height ${height}`, undefined)
}
