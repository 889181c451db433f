import { fromBinary } from '@bufbuild/protobuf'
import { addressBytes, addressText } from '../flow/address.ts'
import { ChainUnavailableError } from '../flow/chain-reader.ts'
import type { ChainAccount, ChainReader, StateAt } from '../flow/chain-reader.ts'
import { encodeArgument } from '../flow/json-cdc/cadence-argument.ts'
import type { CadenceArgument } from '../flow/json-cdc/cadence-argument.ts'
import { readJsonCdcValue } from '../flow/json-cdc/json-cdc-payload.ts'
import type { PayloadValue } from '../flow/payload-value.ts'
import { asError } from '../platform/errors.ts'
import { requestState } from './nodes/request-nodes.ts'
import type { StateRequest } from './nodes/request-nodes.ts'
import type { CallReport, NodeStatus, SourceLogger } from './chain-source.ts'
import { ExecuteScriptResponseSchema, AccountResponseSchema } from './gen/flow/access/access_pb.ts'
import { nodeFault } from './nodes/node-errors.ts'
import { NodeRegistry } from './nodes/node-registry.ts'
import { SourceContext } from './nodes/source-context.ts'
import { SourceNodes } from './nodes/source-nodes.ts'
import type { SourceNodesOptions } from './nodes/source-nodes.ts'
import { accountRequest, scriptAtBlockIdRequest, scriptAtHeightRequest, scriptRequest } from './wire/requests.ts'
import { WireError } from './wire/wire-reader.ts'

export interface ChainReaderOptions extends SourceNodesOptions {
  /** Default 15,000: nodes abort scripts after 10 s. */
  readonly timeoutMs?: number
  readonly log: SourceLogger
  readonly onCall?: (report: CallReport) => void
}

/** The state after a block, by height or id (32 bytes); default: the latest. */
interface ScriptState extends StateAt {
  readonly blockId?: Uint8Array | undefined
}

export interface ScriptCaller {
  /**
   * @param args one JSON-CDC value each
   * @returns JSON-CDC
   * @throws ScriptFailedError, StateNotServedError, ChainCallFailedError, ChainUnavailableError;
   *   the signal's reason
   */
  runScript(script: Uint8Array, args: readonly Uint8Array[], at?: ScriptState): Promise<Uint8Array>
}

export interface ClosableChainReader extends ChainReader, ScriptCaller {
  status(): NodeStatus[]
  close(): Promise<void>
}

/**
 * Has its own connections and limits: nodes limit scripts separately, and a refused script must not
 * slow down block fetching. Connects on the first call.
 * @throws FatalError for an invalid endpoint, or without endpoints
 */
export function createChainReader(options: ChainReaderOptions): ClosableChainReader {
  return new NodeChainReader(options)
}

class NodeChainReader implements ClosableChainReader {
  readonly #nodes: SourceNodes
  readonly #closing = new AbortController()
  readonly #context: SourceContext

  constructor(options: ChainReaderOptions) {
    this.#nodes = new SourceNodes(options, new NodeRegistry())
    const { timeoutMs = 15_000, onCall } = options
    const settings = { pollMs: 0, timeoutMs, attempts: 1, settledDepth: 0, maxPauseMs: 1_000, onCall }
    this.#context = new SourceContext(this.#nodes, settings, options.log, this.#closing.signal)
  }

  async executeScript(script: string, args: readonly CadenceArgument[], at: StateAt = {}): Promise<PayloadValue> {
    return readJsonCdcValue(Buffer.from(await this.runScript(Buffer.from(script), args.map(encodeArgument), at)))
  }

  async runScript(
    script: Uint8Array,
    args: readonly Uint8Array[],
    { height, blockId, signal }: ScriptState = {},
  ): Promise<Uint8Array> {
    return this.#request({ height: blockId === undefined ? height : 'unknown', signal }, async (node, context) => {
      if (blockId !== undefined)
        return resultOf(
          await node.call('ExecuteScriptAtBlockID', scriptAtBlockIdRequest(blockId, script, args), context),
        )
      if (height === undefined)
        return resultOf(await node.call('ExecuteScriptAtLatestBlock', scriptRequest(script, args), context))
      return resultOf(
        await node.call('ExecuteScriptAtBlockHeight', scriptAtHeightRequest(height, script, args), context),
      )
    })
  }

  async getAccount(address: string, at: StateAt = {}): Promise<ChainAccount | undefined> {
    const bytes = addressBytes(address)
    const { height } = at
    return this.#request(at, async (node, context) => {
      const method = height === undefined ? 'GetAccountAtLatestBlock' : 'GetAccountAtBlockHeight'
      try {
        return readAccountResponse(await node.call(method, accountRequest(bytes, height), context))
      } catch (error) {
        if (isNoAccountError(error)) return undefined
        throw error
      }
    })
  }

  status(): NodeStatus[] {
    return this.#context.nodes.map((node) => node.status())
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new ChainUnavailableError('the chain reader was closed', undefined))
    await this.#nodes.release()
  }

  async #request<T>(
    at: { readonly height?: StateRequest<T>['height']; readonly signal?: AbortSignal | undefined },
    send: StateRequest<T>['send'],
  ): Promise<T> {
    this.#closing.signal.throwIfAborted()
    const signal = this.#context.signalOf(at.signal)
    await this.#context.identified(signal)
    return requestState(this.#context, { height: at.height, send }, signal)
  }
}

function resultOf(answer: Buffer): Uint8Array {
  try {
    return fromBinary(ExecuteScriptResponseSchema, answer).value
  } catch (error) {
    throw new WireError(asError(error).message, 0)
  }
}

const noAccount =
  /account with address [0-9a-f]+ (?:not found|does not exist)|(?:could not|failed to) find account|account not found/i

/**
 * `refused` for addresses invalid on the network, otherwise one of two codes. Source:
 * onflow/flow-go `engine/access/rpc/backend/accounts`, onflow/flow-emulator `adapters/access.go`.
 */
function isNoAccountError(error: unknown): boolean {
  const fault = nodeFault(error)
  if (fault?.kind === 'refused') return true
  if (fault?.kind !== 'not-found' && fault?.kind !== 'internal') return false
  return noAccount.test(fault.message)
}

const unitsPerFlow = 100_000_000n

/** @throws WireError if it is invalid or has no account */
export function readAccountResponse(answer: Buffer): ChainAccount {
  const { account } = decode(answer)
  if (account === undefined) throw new WireError('response without an account', 0)
  return {
    address: addressText(account.address),
    balance: `${account.balance / unitsPerFlow}.${(account.balance % unitsPerFlow).toString().padStart(8, '0')}`,
    keys: account.keys.map((key) => ({
      index: key.index,
      publicKey: Buffer.from(key.publicKey).toString('hex'),
      signatureAlgorithm: key.signAlgo,
      hashAlgorithm: key.hashAlgo,
      weight: key.weight,
      sequenceNumber: key.sequenceNumber,
      isRevoked: key.revoked,
    })),
    contracts: new Map(Object.entries(account.contracts).map(([name, code]) => [name, Buffer.from(code)])),
  }
}

function decode(answer: Buffer) {
  try {
    return fromBinary(AccountResponseSchema, answer)
  } catch (error) {
    throw new WireError(error instanceof Error ? error.message : String(error), 0)
  }
}
