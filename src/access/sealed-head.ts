import { pause } from '../platform/retry.ts'
import { untilAborted } from '../platform/abort-reason.ts'
import type { HeadMessage } from './messages.ts'
import { nodeFault } from './node-errors.ts'
import type { AccessNode } from './node.ts'
import { onItsService } from './node-service.ts'
import { NodesFailedError } from './source-errors.ts'
import type { SourceContext } from './source-context.ts'
import { readBlockHeaderResponse } from './wire/read-block.ts'
import { latestRequest } from './wire/requests.ts'

/** Milliseconds that the other nodes have, after the first answer, to report a higher head. */
const othersMs = 100
/** Milliseconds for the head call; the head is asked for often, so a slow answer is of no use. */
const headTimeoutMs = 5_000

/** Asks the live nodes for the sealed head, each at most once at a time however many wait for it. */
export class SealedHead {
  readonly #context: SourceContext
  readonly #asking = new Map<AccessNode, Promise<HeadMessage>>()

  constructor(context: SourceContext) {
    this.#context = context
  }

  /**
   * The highest sealed head that the healthy live nodes report; nodes that take much longer than the first are not
   * waited for. While all of them rest, all are asked.
   * @throws NodesFailedError where none answered, or the signal's reason
   */
  async latest(signal: AbortSignal): Promise<HeadMessage> {
    signal.throwIfAborted()
    const { chainId, liveNodes } = this.#context
    const usable = liveNodes.filter((node) => (node.chainId ?? chainId) === (chainId ?? node.chainId))
    const healthy = usable.filter((node) => node.restingForMs === 0)
    return this.#highest(healthy.length > 0 ? healthy : usable, signal)
  }

  async #highest(nodes: readonly AccessNode[], signal: AbortSignal): Promise<HeadMessage> {
    let highest: HeadMessage | undefined
    const asked = nodes.map(async (node) => {
      const head = await this.#ask(node)
      if (highest === undefined || head.height > highest.height) highest = head
      return head
    })
    try {
      const first = await untilAborted(Promise.any(asked), signal)
      if (nodes.length > 1) await Promise.race([Promise.allSettled(asked), pause(othersMs, signal)])
      return highest ?? first
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      const faults = error.errors.map((fault) => nodeFault(fault)?.message ?? String(fault))
      throw new NodesFailedError('sealed head', faults, error)
    }
  }

  #ask(node: AccessNode): Promise<HeadMessage> {
    const known = this.#asking.get(node)
    if (known !== undefined) return known
    const asking = this.#askNow(node).finally(() => this.#asking.delete(node))
    this.#asking.set(node, asking)
    return asking
  }

  async #askNow(node: AccessNode): Promise<HeadMessage> {
    const started = performance.now()
    const { closing, settings } = this.#context
    const timeoutMs = Math.min(settings.timeoutMs, headTimeoutMs)
    const context = { ...this.#context.callContext(closing, true), timeoutMs }
    try {
      const answer = await onItsService(node, () => node.call('GetLatestBlockHeader', latestRequest(true), context))
      const head = readBlockHeaderResponse(answer)
      node.headHeight = head.height
      this.#context.recovered(node)
      return head
    } catch (error) {
      const fault = nodeFault(error)
      if (fault !== undefined && fault.kind !== 'rate-limited' && !closing.aborted) {
        this.#context.rest(node, fault.message, started)
      }
      throw error
    }
  }
}
