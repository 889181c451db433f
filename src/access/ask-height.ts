import { backoffMs, pause } from '../platform/retry.ts'
import { BlockCalls } from './block-calls.ts'
import { chooseNode, rootAbove } from './node-choice.ts'
import { isOutage, nodeFault } from './node-errors.ts'
import type { NodeFault } from './node-errors.ts'
import type { AccessNode } from './node.ts'
import { BelowRootError, NodesFailedError, NotYetError } from './source-errors.ts'
import type { SourceContext } from './source-context.ts'

/** Rounds over all nodes in which a height that is sealed somewhere may still be missing, for nodes that lag. */
const roundsUntilNotYet = 3
/** Rounds in which every node must have said that a part is missing before it is taken for lost. */
const roundsUntilLost = 2
/** So many heights in a row that fail inside a node are the node's fault, not that of the heights. */
const stumblesUntilRest = 3

export interface HeightQuestion<T> {
  readonly height: number
  /** Asks one node. `acceptMissing`: every node has said before that something is not there. */
  ask(calls: BlockCalls, acceptMissing: boolean): Promise<T>
  /** Called with the length of each answer that is to come. */
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
  /** Whether the height is so far below the sealed head that what is missing will not come any more. */
  isSettled(): Promise<boolean>
}

/**
 * Asks the nodes for a height, one after the other, the most fitting first, until one answers. When all were asked a
 * new round begins after a pause. It ends with an error when so many tries failed as the settings allow, when no node
 * reaches so low, or when the height is not there yet.
 * @throws BelowRootError, NotYetError, NodesFailedError, or the signal's reason
 */
export async function askHeight<T>(
  context: SourceContext,
  question: HeightQuestion<T>,
  signal: AbortSignal,
): Promise<T> {
  return new HeightSearch(context, question, signal).run()
}

class HeightSearch<T> {
  readonly #context: SourceContext
  readonly #question: HeightQuestion<T>
  readonly #signal: AbortSignal
  /** Asked in this round. */
  readonly #tried = new Set<AccessNode>()
  /** Those of them that do not have it. */
  #absent = 0
  /** Rounds in which nobody had it. */
  #absentRounds = 0
  /** Those of them in which every node could be asked. */
  #lostRounds = 0
  #acceptMissing = false
  #failures = 0
  readonly #faults: string[] = []
  #isOutage = true
  #lastError: unknown

  constructor(context: SourceContext, question: HeightQuestion<T>, signal: AbortSignal) {
    this.#context = context
    this.#question = question
    this.#signal = signal
  }

  async run(): Promise<T> {
    const { height } = this.#question
    while (this.#failures < this.#context.settings.attempts) {
      this.#signal.throwIfAborted()
      const nodes = this.#context.usableNodes()
      const node = chooseNode(nodes, height, this.#tried)
      if (node === undefined && this.#tried.size === 0) throw this.#unreachable(nodes)
      // From the choice to the asking nothing may be awaited, or many heights would choose the same idle node.
      if (node === undefined || (this.#absent > 0 && node.restingForMs > 0 && !(await this.#question.isSettled()))) {
        // A resting node is not waited for where a healthy one has said that the height is not there yet.
        await this.#endRound()
        continue
      }
      if (node.restingForMs > 0)
        await pause(Math.min(node.restingForMs, this.#context.settings.maxPauseMs), this.#signal)
      const answer = await this.#ask(node)
      if (answer !== undefined) return answer.value
    }
    throw new NodesFailedError(`height ${height}`, this.#faults, this.#lastError, this.#isOutage)
  }

  async #ask(node: AccessNode): Promise<{ readonly value: T } | undefined> {
    const started = performance.now()
    this.#tried.add(node)
    node.requestStarted()
    try {
      const { onAnswerLength } = this.#question
      const calls = new BlockCalls(node, { ...this.#context.callContext(this.#signal), onAnswerLength })
      const value = await this.#question.ask(calls, this.#acceptMissing)
      this.#context.recovered(node)
      return { value }
    } catch (error) {
      this.#signal.throwIfAborted()
      const fault = nodeFault(error)
      if (fault === undefined) throw error
      this.#lastError = error
      this.#judge(node, fault, started)
      return undefined
    } finally {
      node.requestEnded()
    }
  }

  #judge(node: AccessNode, fault: NodeFault, started: number): void {
    const { log } = this.#context
    const { height } = this.#question
    const details = { endpoint: node.endpoint, height, fault: fault.kind, reason: fault.message }
    log.debug(details, 'access node did not serve a height')
    this.#faults.push(fault.message)
    this.#isOutage &&= isOutage(fault)
    switch (fault.kind) {
      case 'below-root':
        this.#context.recovered(node)
        if (fault.rootHeight !== undefined && fault.rootHeight > height) {
          node.raiseRoot(fault.rootHeight)
          this.#tried.delete(node)
        } else this.#absent++
        return
      case 'not-found':
      case 'not-ready':
      case 'part-missing':
        this.#context.recovered(node)
        this.#absent++
        return
      case 'rate-limited':
        break
      case 'internal':
      case 'too-large':
      case 'encoding':
      case 'failed-without-text':
        if (++node.stumbles >= stumblesUntilRest) this.#context.rest(node, fault.message, started)
        break
      default:
        this.#context.rest(node, fault.message, started)
    }
    this.#failures++
  }

  async #endRound(): Promise<void> {
    const everyNode = this.#absent === this.#tried.size
    const nobodyHasIt = this.#absent > 0
    this.#tried.clear()
    this.#absent = 0
    if (nobodyHasIt) await this.#endAbsentRound(everyNode)
    const round = this.#absentRounds + this.#failures
    await pause(backoffMs(Math.max(1, round), 50, this.#context.settings.maxPauseMs), this.#signal)
  }

  async #endAbsentRound(everyNode: boolean): Promise<void> {
    const { height } = this.#question
    this.#absentRounds++
    if (await this.#question.isSettled()) {
      if (!everyNode) return
      this.#lostRounds++
      this.#acceptMissing = this.#lostRounds >= roundsUntilLost
      if (this.#lostRounds > roundsUntilLost) {
        throw new NodesFailedError(`height ${height}`, this.#faults, this.#lastError, this.#isOutage)
      }
      return
    }
    const sealedHeight = this.#context.sealedHeight
    const isSealedSomewhere = sealedHeight !== undefined && sealedHeight >= height
    if (!isSealedSomewhere || this.#absentRounds >= roundsUntilNotYet) throw new NotYetError(height, this.#lastError)
  }

  #unreachable(nodes: readonly AccessNode[]): Error {
    const { height } = this.#question
    const rootHeight = rootAbove(nodes, height)
    if (rootHeight !== undefined) return new BelowRootError(height, rootHeight)
    return new NodesFailedError(
      `height ${height}`,
      [...this.#faults, 'no node serves its spork'],
      this.#lastError,
      false,
    )
  }
}
