import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../../flow/chain-reader.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import { BlockCalls } from './block-calls.ts'
import { attempt, isOutage } from './node-errors.ts'
import type { Failure, Outcome, FaultKind, NodeFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'
import { BelowRootError, NodesFailedError, NotYetError } from '../chain-source.ts'
import type { SourceContext } from './source-context.ts'

/** A sealed height may be missing on nodes that lag. */
const roundsUntilNotYet = 3
/** Rounds in which every node must report a part as missing before it counts as lost. */
const roundsUntilLost = 2
/** Smaller differences between waits are ignored. */
const sameWaitMs = 50
const newest = Number.MAX_SAFE_INTEGER

/** The node rests for every fault not listed. */
interface RestPolicy {
  readonly harmless: ReadonlySet<FaultKind>
  /** Possibly caused by the request: the node rests after `maxStumbles` of them in a row. */
  readonly stumbles: ReadonlySet<FaultKind>
  readonly maxStumbles: number
  readonly neutral: ReadonlySet<FaultKind>
}

const absences = ['below-root', 'not-found', 'not-ready', 'part-missing'] as const

const heightPolicy: RestPolicy = {
  harmless: new Set(absences),
  stumbles: new Set(['internal', 'too-large', 'encoding', 'failed-without-text']),
  maxStumbles: 3,
  neutral: new Set(['rate-limited']),
}

const callPolicy: RestPolicy = {
  harmless: new Set([...absences, 'refused', 'script-limit']),
  stumbles: new Set(['internal', 'timeout', 'too-large']),
  maxStumbles: 5,
  neutral: new Set(['rate-limited', 'unimplemented']),
}

export type Candidate = Pick<
  AccessNode,
  'rootHeight' | 'headHeight' | 'restingForMs' | 'isOnTrial' | 'waitMs' | 'inFlight' | 'lastUsed' | 'mayServe'
>

/**
 * Selects the node for a height, of those that may serve it and are not in `tried`, by:
 * 1. not resting, or resting for the shortest time;
 * 2. the highest known root, since nodes of older sporks may only know it from another node; unknown roots last;
 * 3. not on trial with another request;
 * 4. the shortest wait for its rate limit;
 * 5. not known to lag behind the height;
 * 6. the fewest running requests, then least recently used.
 */
export function selectNode<T extends Candidate>(
  nodes: readonly T[],
  height: number,
  tried: ReadonlySet<T>,
): T | undefined {
  let best: T | undefined
  for (const node of nodes) {
    if (tried.has(node) || !node.mayServe(height)) continue
    if (best === undefined || compare(node, best, height) < 0) best = node
  }
  return best
}

export function rootAbove(nodes: readonly Pick<Candidate, 'rootHeight'>[], height: number): number | undefined {
  let lowest: number | undefined
  for (const { rootHeight } of nodes) {
    if (rootHeight === undefined || rootHeight <= height) continue
    if (lowest === undefined || rootHeight < lowest) lowest = rootHeight
  }
  return lowest
}

function compare(a: Candidate, b: Candidate, height: number): number {
  return (
    a.restingForMs - b.restingForMs ||
    (b.rootHeight ?? -1) - (a.rootHeight ?? -1) ||
    Number(isBusyOnTrial(a)) - Number(isBusyOnTrial(b)) ||
    Math.floor(a.waitMs / sameWaitMs) - Math.floor(b.waitMs / sameWaitMs) ||
    Number(isBehind(a, height)) - Number(isBehind(b, height)) ||
    a.inFlight - b.inFlight ||
    a.lastUsed - b.lastUsed
  )
}

function isBusyOnTrial(node: Candidate): boolean {
  return node.isOnTrial && node.inFlight > 0
}

function isBehind(node: Candidate, height: number): boolean {
  return node.headHeight !== undefined && node.headHeight < height
}

/** @throws the signal's reason, and errors that are not the node's fault */
async function request<T>(
  context: SourceContext,
  node: AccessNode,
  policy: RestPolicy,
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<Outcome<T>> {
  const started = performance.now()
  node.requestStarted()
  try {
    const outcome = await attempt(send())
    if (outcome.fault === undefined) {
      context.recovered(node)
      return outcome
    }
    signal.throwIfAborted()
    const { kind, message } = outcome.fault
    if (policy.harmless.has(kind)) context.recovered(node)
    else if (policy.stumbles.has(kind)) {
      if (++node.stumbles >= policy.maxStumbles) context.rest(node, message, started)
    } else if (!policy.neutral.has(kind)) context.rest(node, message, started)
    return outcome
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    node.requestEnded()
  }
}

export interface HeightRequest<T> {
  readonly height: number
  /** `acceptMissing`: every node has reported a missing part before. */
  send(calls: BlockCalls, acceptMissing: boolean): Promise<T>
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
  /** Whether nodes without the height will not get it. */
  isSettled(): Promise<boolean>
}

/**
 * Tries one node after another, best first; new rounds start after a delay, up to the configured
 * number of attempts.
 * @throws BelowRootError, NotYetError, NodesFailedError, or the signal's reason
 */
export async function requestHeight<T>(
  context: SourceContext,
  heightRequest: HeightRequest<T>,
  signal: AbortSignal,
): Promise<T> {
  return new HeightSearch(context, heightRequest, signal).run()
}

class HeightSearch<T> {
  readonly #context: SourceContext
  readonly #request: HeightRequest<T>
  readonly #signal: AbortSignal
  readonly #tried = new Set<AccessNode>()
  #absent = 0
  /** Rounds in which no node had it. */
  #absentRounds = 0
  /** The absent rounds in which all nodes responded. */
  #lostRounds = 0
  #acceptMissing = false
  #failures = 0
  readonly #faults: string[] = []
  #isOutage = true
  #lastError: unknown

  constructor(context: SourceContext, heightRequest: HeightRequest<T>, signal: AbortSignal) {
    this.#context = context
    this.#request = heightRequest
    this.#signal = signal
  }

  async run(): Promise<T> {
    const { height } = this.#request
    const { attempts, maxPauseMs } = this.#context.settings
    while (this.#failures < attempts) {
      this.#signal.throwIfAborted()
      const node = selectNode(this.#context.usableNodes(height), height, this.#tried)
      if (node === undefined && this.#tried.size === 0) throw this.#unreachable()
      // Do not await between selecting an idle node and the request: other heights would select it
      // too.
      if (node === undefined || (this.#absent > 0 && node.restingForMs > 0 && !(await this.#request.isSettled()))) {
        // A healthy node reported that the height does not exist yet.
        await this.#endRound()
        continue
      }
      if (node.restingForMs > 0) await pause(Math.min(node.restingForMs, maxPauseMs), this.#signal)
      this.#tried.add(node)
      const outcome = await request(this.#context, node, heightPolicy, this.#signal, () => this.#send(node))
      if (outcome.fault === undefined) return outcome.value
      this.#lastError = outcome.error
      this.#note(node, outcome.fault)
    }
    throw this.#failed()
  }

  #send(node: AccessNode): Promise<T> {
    const { onAnswerLength } = this.#request
    const calls = new BlockCalls(node, { ...this.#context.callContext(this.#signal), onAnswerLength })
    return this.#request.send(calls, this.#acceptMissing)
  }

  #note(node: AccessNode, fault: NodeFault): void {
    const { height } = this.#request
    const details = { endpoint: node.endpoint, height, fault: fault.kind, reason: fault.message }
    this.#context.log.debug(details, 'Access node did not serve a height')
    this.#faults.push(fault.message)
    this.#isOutage &&= isOutage(fault)
    if (fault.rootHeight !== undefined && fault.rootHeight > height) {
      node.raiseRoot(fault.rootHeight)
      this.#tried.delete(node)
    } else if (heightPolicy.harmless.has(fault.kind)) this.#absent++
    else this.#failures++
  }

  async #endRound(): Promise<void> {
    const everyNode = this.#absent === this.#tried.size
    const isAbsent = this.#absent > 0
    this.#tried.clear()
    this.#absent = 0
    if (isAbsent) await this.#endAbsentRound(everyNode)
    const round = this.#absentRounds + this.#failures
    await pause(backoffMs(Math.max(1, round), 50, this.#context.settings.maxPauseMs), this.#signal)
  }

  async #endAbsentRound(everyNode: boolean): Promise<void> {
    const { height } = this.#request
    this.#absentRounds++
    if (await this.#request.isSettled()) {
      if (!everyNode) return
      this.#lostRounds++
      this.#acceptMissing = this.#lostRounds >= roundsUntilLost
      if (this.#lostRounds > roundsUntilLost) throw this.#failed()
      return
    }
    const sealedHeight = this.#context.sealedHeight
    const isSealedSomewhere = sealedHeight !== undefined && sealedHeight >= height
    if (!isSealedSomewhere || this.#absentRounds >= roundsUntilNotYet) throw new NotYetError(height, this.#lastError)
  }

  #failed(): NodesFailedError {
    return new NodesFailedError(`height ${this.#request.height}`, this.#faults, this.#lastError, this.#isOutage)
  }

  #unreachable(): Error {
    const { height } = this.#request
    const rootHeight = rootAbove(this.#context.usableNodes(), height)
    if (rootHeight !== undefined) return new BelowRootError(height, rootHeight)
    const faults = [...this.#faults, 'no node serves its spork']
    return new NodesFailedError(`height ${height}`, faults, this.#lastError, false)
  }
}

export interface StateRequest<T> {
  /** Undefined: the latest; `unknown`: of a block that any node may have. */
  readonly height: number | 'unknown' | undefined
  readonly send: (node: AccessNode, context: CallContext) => Promise<T>
}

/**
 * Tries each node once, best first, without waiting for resting nodes.
 * @throws errors of ChainReader, the most informative one
 */
export async function requestState<T>(
  context: SourceContext,
  stateRequest: StateRequest<T>,
  signal: AbortSignal,
): Promise<T> {
  const height = stateRequest.height === 'unknown' ? undefined : stateRequest.height
  const nodes = stateRequest.height === undefined ? newestOf(context) : context.usableNodes(height ?? newest)
  const tried = new Set<AccessNode>()
  const failures: Failure[] = []
  for (;;) {
    signal.throwIfAborted()
    const node = selectNode(nodes, height ?? newest, tried)
    if (node === undefined) throw verdict(failures, height)
    tried.add(node)
    // A resting node is the last resort; the attempt updates its state.
    if (node.restingForMs > 0 && tried.size > 1) continue
    const send = () => stateRequest.send(node, context.callContext(signal))
    const outcome = await request(context, node, callPolicy, signal, send)
    if (outcome.fault === undefined) return outcome.value
    const { kind, message, rootHeight } = outcome.fault
    if (kind === 'refused' || kind === 'script-limit') throw new ScriptFailedError(message, outcome.error)
    if (rootHeight !== undefined) node.raiseRoot(rootHeight)
    failures.push(outcome)
  }
}

/** Live nodes of a past spork have no latest state. */
function newestOf(context: SourceContext): AccessNode[] {
  const usable = context.usableNodes()
  return context.liveNodes.filter((node) => usable.includes(node))
}

function verdict(failures: readonly Failure[], height: number | undefined): Error {
  const find = (...kinds: readonly FaultKind[]) => failures.find(({ fault }) => kinds.includes(fault.kind))
  const timeout = find('timeout')
  if (timeout !== undefined) return new ChainCallFailedError(timeout.fault.message, timeout.error)
  const broken = find('internal', 'too-large', 'malformed')
  if (broken !== undefined) return new ChainCallFailedError(broken.fault.message, broken.error)
  const away = find('rate-limited', 'unavailable', 'unimplemented')
  if (away !== undefined) return new ChainUnavailableError(away.fault.message, away.error)
  const absent = failures.at(-1)
  if (absent !== undefined) return new StateNotServedError(absent.fault.message, absent.error)
  if (height === undefined) return new ChainUnavailableError('no node follows the head of the chain', undefined)
  return new StateNotServedError(`no node reaches as low as height ${height}`, undefined)
}
