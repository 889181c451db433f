import { setTimeout as delay } from 'node:timers/promises'
import { RawGrpcServer } from '../../simnode/server/grpc-server.ts'
import type { CallHandler } from '../../simnode/server/grpc-server.ts'
import { Refusal } from '../../simnode/node/node-view.ts'
import type { StatusName } from '../../simnode/node/node-view.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from '../../simnode/node/wire.ts'

/** A value in JSON-CDC, as an object. */
export interface Cdc {
  readonly type: string
  readonly value?: unknown
}

/** A script that the node should run. */
export interface ScriptCall {
  readonly script: string
  readonly args: readonly Cdc[]
  /** Undefined: the latest state. */
  readonly height: number | undefined
  /** Hex digits, if the state is selected by block id. */
  readonly blockId?: string
}

/** A requested account. */
export interface AccountCall {
  /** 16 hex digits. */
  readonly address: string
  readonly height: number | undefined
}

/** The node's data. A thrown Refusal ends the call with its status. */
export interface Ledger {
  readonly script?: (call: ScriptCall) => Cdc | Promise<Cdc>
  /** Source code by name. Undefined: no such account. */
  readonly account?: (call: AccountCall) => Readonly<Record<string, string>> | undefined
}

/** An access node without Cadence: a ledger in the test runs scripts, over real gRPC. */
export class ScriptNode {
  readonly #server: RawGrpcServer
  ledger: Ledger
  /** Every call, in order. */
  readonly scripts: ScriptCall[] = []
  readonly accounts: AccountCall[] = []
  /** Delay of each call, ms. */
  latencyMs = 0
  /** If set, every call fails with this status. */
  refusal: Refusal | undefined

  private constructor(server: RawGrpcServer, ledger: Ledger) {
    this.#server = server
    this.ledger = ledger
  }

  static async start(ledger: Ledger = {}, options: { readonly rootHeight?: number } = {}): Promise<ScriptNode> {
    const made: { node?: ScriptNode } = {}
    const answer =
      (of: (node: ScriptNode, request: Buffer) => Promise<Buffer> | Buffer): CallHandler =>
      async (call) => {
        try {
          if (made.node === undefined) throw new Error('the node is not there yet')
          call.answer(await made.node.#answer(call.request, of))
        } catch (error) {
          call.fail({
            code: error instanceof Refusal ? error.code : 13,
            details: error instanceof Error ? error.message : String(error),
          })
        }
      }
    const root = options.rootHeight ?? 0
    const server = await RawGrpcServer.listen('127.0.0.1', 0, {
      'flow.access.AccessAPI': {
        GetNetworkParameters: (call) => call.answer(bytesField(1, Buffer.from('flow-emulator'))),
        GetNodeVersionInfo: (call) =>
          call.answer(bytesField(1, Buffer.concat([varintField(5, root), varintField(6, root)]))),
        ExecuteScriptAtLatestBlock: answer((node, request) =>
          node.#script({ script: textOf(request, 1), args: argumentsOf(request, 2), height: undefined }),
        ),
        ExecuteScriptAtBlockHeight: answer((node, request) =>
          node.#script({
            script: textOf(request, 2),
            args: argumentsOf(request, 3),
            height: numberOf(request, 1),
          }),
        ),
        ExecuteScriptAtBlockID: answer((node, request) =>
          node.#script({
            script: textOf(request, 2),
            args: argumentsOf(request, 3),
            height: undefined,
            blockId: bytesOf(request, 1).toString('hex'),
          }),
        ),
        GetAccountAtLatestBlock: answer((node, request) =>
          node.#account({ address: bytesOf(request, 1).toString('hex'), height: undefined }),
        ),
        GetAccountAtBlockHeight: answer((node, request) =>
          node.#account({
            address: bytesOf(request, 1).toString('hex'),
            height: numberOf(request, 2),
          }),
        ),
      },
    })
    made.node = new ScriptNode(server, ledger)
    return made.node
  }

  get endpoint(): string {
    return `${this.#server.host}:${this.#server.port}`
  }

  stop(): Promise<void> {
    return this.#server.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #answer(request: Buffer, of: (node: ScriptNode, request: Buffer) => Promise<Buffer> | Buffer): Promise<Buffer> {
    // Tests may leave a call waiting.
    if (this.latencyMs > 0) await delay(this.latencyMs, undefined, { ref: false })
    const answered = await of(this, request)
    if (this.refusal !== undefined) throw this.refusal
    return answered
  }

  async #script(call: ScriptCall): Promise<Buffer> {
    this.scripts.push(call)
    if (this.refusal !== undefined) throw this.refusal
    if (this.ledger.script === undefined) throw new Refusal('UNIMPLEMENTED', 'no scripts here')
    return bytesField(1, Buffer.from(`${JSON.stringify(await this.ledger.script(call))}\n`))
  }

  #account(call: AccountCall): Buffer {
    this.accounts.push(call)
    const contracts = this.ledger.account?.(call)
    if (contracts === undefined) throw new Refusal('NOT_FOUND', `could not find account with address ${call.address}`)
    const entries = Object.entries(contracts).map(([name, code]) =>
      bytesField(5, Buffer.concat([bytesField(1, Buffer.from(name)), bytesField(2, Buffer.from(code))])),
    )
    const key = Buffer.concat([
      varintField(1, 2),
      bytesField(2, Buffer.from('ab', 'hex')),
      varintField(3, 2),
      varintField(4, 3),
      varintField(5, 1000),
    ])
    return bytesField(
      1,
      Buffer.concat([
        bytesField(1, Buffer.from(call.address, 'hex')),
        varintField(2, 150_000_001),
        bytesField(4, key),
        ...entries,
      ]),
    )
  }
}

/** A status that ends a call. */
export function refuse(status: StatusName, message: string): never {
  throw new Refusal(status, message)
}

/** Values in JSON-CDC, as nodes write them. */
export const cdc = {
  string: (value: string): Cdc => ({ type: 'String', value }),
  uint64: (value: number | bigint | string): Cdc => ({ type: 'UInt64', value: String(value) }),
  uint8: (value: number): Cdc => ({ type: 'UInt8', value: String(value) }),
  int: (value: number): Cdc => ({ type: 'Int', value: String(value) }),
  ufix64: (value: string): Cdc => ({ type: 'UFix64', value }),
  bool: (value: boolean): Cdc => ({ type: 'Bool', value }),
  path: (domain: string, identifier: string): Cdc => ({ type: 'Path', value: { domain, identifier } }),
  array: (value: readonly Cdc[]): Cdc => ({ type: 'Array', value }),
  optional: (value: Cdc | null): Cdc => ({ type: 'Optional', value }),
  dictionary: (pairs: readonly (readonly [Cdc, Cdc])[]): Cdc => ({
    type: 'Dictionary',
    value: pairs.map(([key, value]) => ({ key, value })),
  }),
  struct: (fields: Readonly<Record<string, Cdc>>): Cdc => ({
    type: 'Struct',
    value: { id: 's.01.S', fields: Object.entries(fields).map(([name, value]) => ({ value, name })) },
  }),
} as const

/** The plain value of an argument: text, number as text, or a list of those. */
export function plain(argument: Cdc | undefined): unknown {
  const value = argument?.value
  return Array.isArray(value) ? value.map((item: Cdc) => plain(item)) : value
}

/** The plain list of texts of an argument. */
export function texts(argument: Cdc | undefined): string[] {
  return plain(argument) as string[]
}

function textOf(message: Buffer, field: number): string {
  return bytesOf(message, field).toString('utf8')
}

function argumentsOf(message: Buffer, field: number): Cdc[] {
  return contentsOf(message, field).map((bytes) => JSON.parse(bytes.toString('utf8')) as Cdc)
}
