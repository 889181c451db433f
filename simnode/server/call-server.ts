import type { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { FaultBook, Verdict } from '../node/fault-book.ts'
import type { FaultCall } from '../node/faults.ts'
import type { GrpcCall, CallHandler, RawService } from './grpc-server.ts'
import { legacyMethods, sharedMethods } from '../node/node-methods.ts'
import type { NodeChain, CallFailure, NodeView, UnaryCall, UnaryMethod } from '../node/node-view.ts'
import { Refusal } from '../node/node-view.ts'
import { streamMethods } from '../node/block-methods.ts'
import type { StreamMethod } from '../node/block-methods.ts'

export interface AccessNodeEvents {
  /** The head moved; after a switch it may be lower. */
  head: [height: number]
  /** A call arrived; its answer may be in progress. */
  call: [call: FaultCall]
}

export interface CallContext<Chain extends NodeChain> {
  view(): NodeView<Chain>
  readonly methods: Readonly<Record<string, UnaryMethod<Chain>>>
  readonly faults: FaultBook
  readonly events: EventEmitter<AccessNodeEvents>
  count(method: string): void
  dropConnection(peer: string): void
}

type ServiceName = FaultCall['service']

const modern = 'flow.access.AccessAPI'
const legacy = 'access.AccessAPI'

/** Applies faults to calls, and follows the head in streams. */
export class CallServer<Chain extends NodeChain> {
  readonly #context: CallContext<Chain>

  constructor(context: CallContext<Chain>) {
    this.#context = context
  }

  /** For other protocols. */
  unaryCalls(): Record<string, (call: UnaryCall) => void> {
    return Object.fromEntries(
      Object.entries(this.#methods()).map(([name, method]) => [name, this.#unary(modern, name, method)]),
    )
  }

  services(): Record<ServiceName, RawService> {
    const methods = this.#methods()
    const all: Record<string, CallHandler> = this.unaryCalls()
    for (const [name, method] of Object.entries(streamMethods)) all[name] = this.#stream(name, method)
    const ofLegacy: Record<string, CallHandler> = {}
    for (const [name, strip] of Object.entries(legacyMethods)) {
      const method = methods[name]
      if (method !== undefined) ofLegacy[name] = this.#unary(legacy, name, method, strip)
    }
    return { [modern]: all, [legacy]: ofLegacy }
  }

  #methods(): Readonly<Record<string, UnaryMethod<Chain>>> {
    return { ...sharedMethods, ...this.#context.methods }
  }

  #unary(
    service: ServiceName,
    name: string,
    method: UnaryMethod<Chain>,
    strip = (answer: Buffer) => answer,
  ): (call: UnaryCall) => void {
    return (call) => {
      const verdict = this.#judge(service, name, call.request, (view) => method.height?.(view, call.request))
      const finish = (): void => {
        if (this.#isHeld(verdict, call.peer)) return
        try {
          if (verdict.end instanceof Refusal) throw verdict.end
          const answer = this.#context.faults.edit(name, method.answer(this.#context.view(), call.request), verdict)
          call.answer(strip(answer))
        } catch (thrown) {
          call.fail(failureOf(thrown))
        }
      }
      if (verdict.delayMs === 0) finish()
      else setTimeout(finish, verdict.delayMs)
    }
  }

  #stream(name: string, method: StreamMethod): CallHandler {
    return (call) => {
      const verdict = this.#judge(modern, name, call.request, (view) => method.start(view, call.request))
      void this.#follow(call, name, method, verdict).catch((thrown: unknown) => {
        call.fail(failureOf(thrown))
      })
    }
  }

  /** Until the client leaves. */
  async #follow(call: GrpcCall, name: string, method: StreamMethod, verdict: Verdict): Promise<void> {
    if (verdict.delayMs > 0) await delay(verdict.delayMs)
    if (this.#isHeld(verdict, call.peer)) return
    if (verdict.end instanceof Refusal) throw verdict.end
    let wake: (() => void) | undefined
    const onEvent = (): void => wake?.()
    const { events } = this.#context
    events.on('head', onEvent)
    const stopListening = call.onChange(onEvent)
    try {
      let next = method.start(this.#context.view(), call.request)
      let hasRoom = true
      while (!call.isOver) {
        const view = this.#context.view()
        if (hasRoom && next <= view.head) {
          const message = method.message(view.chain.block(next), call.request)
          hasRoom = call.write(this.#context.faults.edit(name, message, verdict))
          next++
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          hasRoom = call.hasRoom
        }
      }
    } finally {
      events.off('head', onEvent)
      stopListening()
    }
  }

  #judge(
    service: ServiceName,
    method: string,
    request: Buffer,
    heightOf: (view: NodeView<Chain>) => number | undefined,
  ): Verdict {
    this.#context.count(method)
    const callOf = (): FaultCall => ({ service, method, request, height: this.#heightOrNone(heightOf) })
    const verdict = this.#context.faults.judge(callOf, (height) => this.#hasFailedTransaction(height))
    if (this.#context.events.listenerCount('call') > 0) this.#context.events.emit('call', callOf())
    return verdict
  }

  #heightOrNone(heightOf: (view: NodeView<Chain>) => number | undefined): number | undefined {
    try {
      return heightOf(this.#context.view())
    } catch (thrown) {
      if (thrown instanceof Refusal) return undefined
      throw thrown
    }
  }

  #hasFailedTransaction(height: number | undefined): boolean {
    const view = this.#context.view()
    if (height === undefined || height > view.head || height < view.sporkRootHeight) return false
    return view.chain.block(height).hasFailedTransaction
  }

  #isHeld(verdict: Verdict, peer: string): boolean {
    if (verdict.end === 'drop-connection') this.#context.dropConnection(peer)
    return verdict.end === 'drop-connection' || verdict.end === 'never-answer'
  }
}

/** An unreadable request is INVALID_ARGUMENT; other errors are INTERNAL. */
function failureOf(thrown: unknown): CallFailure {
  if (thrown instanceof Refusal) return { code: thrown.code, details: thrown.message }
  if (thrown instanceof RangeError) return { code: status.INVALID_ARGUMENT, details: thrown.message }
  return { code: status.INTERNAL, details: thrown instanceof Error ? thrown.message : String(thrown) }
}
