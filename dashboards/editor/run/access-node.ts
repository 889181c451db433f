import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { CadenceValue } from './argument-value.ts'

/** `status`: of HTTP; 0 without a valid response. */
export class NodeProblem extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'NodeProblem'
    this.status = status
  }
}

interface NodeKey {
  readonly index: string
  readonly sequence_number: string
  readonly revoked: boolean
}

export interface NodeAccount {
  readonly keys: readonly NodeKey[]
  /** Source by name. */
  readonly contracts: ReadonlyMap<string, string>
}

export interface ChainEvent {
  readonly type: string
  /** Undefined if it is not JSON-CDC. */
  readonly value: CadenceValue | undefined
}

export interface TransactionResult {
  readonly status: 'Pending' | 'Finalized' | 'Executed' | 'Sealed' | 'Expired'
  readonly error: string
  readonly computation: string
  readonly events: readonly ChainEvent[]
}

/** The REST API of an access node. All methods throw NodeProblem, or the reason of the signal. */
export class AccessNode {
  readonly #base: string

  constructor(apiUrl: string) {
    this.#base = apiUrl.replace(/\/$/, '')
  }

  async sealedBlock(signal: AbortSignal): Promise<{ readonly id: string; readonly height: string }> {
    const blocks = await this.#call('/v1/blocks?height=sealed', { signal })
    const { id, height } = fieldsOf(fieldsOf(Array.isArray(blocks) ? blocks[0] : undefined)['header'])
    if (typeof id !== 'string' || typeof height !== 'string' || !/^\d+$/.test(height)) throw invalid()
    return { id, height }
  }

  async account(address: string, signal: AbortSignal): Promise<NodeAccount> {
    const account = fieldsOf(await this.#call(`/v1/accounts/${address}?expand=keys,contracts`, { signal }))
    const contracts = Object.entries(fieldsOf(account['contracts'])).map(
      ([name, code]) => [name, typeof code === 'string' ? fromBase64(code) : ''] as const,
    )
    return {
      keys: Array.isArray(account['keys']) ? (account['keys'] as readonly NodeKey[]) : [],
      contracts: new Map(contracts),
    }
  }

  async runScript(
    code: string,
    values: readonly CadenceValue[],
    { height, signal }: { readonly height: string; readonly signal: AbortSignal },
  ): Promise<CadenceValue> {
    const answer = await this.#call(`/v1/scripts?block_height=${height}`, {
      signal,
      body: { script: toBase64(code), arguments: values.map((value) => toBase64(JSON.stringify(value))) },
    })
    const encoded = typeof answer === 'string' ? answer : fieldsOf(answer)['value']
    if (typeof encoded !== 'string') throw new NodeProblem(0, 'The node returned no value.')
    const value = readJson(fromBase64(encoded))
    if (value === undefined) throw invalid()
    return value as CadenceValue
  }

  /** @returns the id */
  async send(transaction: FlowTransaction, signal: AbortSignal): Promise<string> {
    const { script, proposalKey } = transaction
    const signatures = (list: FlowTransaction['envelopeSignatures']): unknown =>
      list.map(({ address, keyIndex, signature, extensionData }) => ({
        address: digits(address),
        key_index: String(keyIndex),
        signature: base64Of(signature),
        ...(extensionData === undefined ? {} : { extension_data: base64Of(extensionData) }),
      }))
    const body = {
      script: toBase64(script),
      arguments: transaction.arguments.map(toBase64),
      reference_block_id: transaction.referenceBlockId,
      gas_limit: String(transaction.computeLimit),
      payer: digits(transaction.payer),
      proposal_key: {
        address: digits(proposalKey.address),
        key_index: String(proposalKey.keyIndex),
        sequence_number: String(proposalKey.sequenceNumber),
      },
      authorizers: transaction.authorizers.map(digits),
      payload_signatures: signatures(transaction.payloadSignatures),
      envelope_signatures: signatures(transaction.envelopeSignatures),
    }
    const { id } = fieldsOf(await this.#call('/v1/transactions', { signal, body }))
    if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id)) throw invalid()
    return id
  }

  async result(id: string, signal: AbortSignal): Promise<TransactionResult> {
    const result = fieldsOf(await this.#call(`/v1/transaction_results/${id}`, { signal }))
    const text = (name: string): string => (typeof result[name] === 'string' ? result[name] : '')
    const status = text('status')
    return {
      status: isStatus(status) ? status : 'Pending',
      error: text('error_message'),
      computation: text('computation_used'),
      events: (Array.isArray(result['events']) ? (result['events'] as unknown[]) : []).map(readEvent),
    }
  }

  async #call(
    path: string,
    { signal, body }: { readonly signal: AbortSignal; readonly body?: unknown },
  ): Promise<unknown> {
    let response: Response
    let answer: unknown
    try {
      response = await fetch(`${this.#base}${path}`, {
        signal,
        ...(body === undefined
          ? {}
          : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      answer = await response.json()
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof SyntaxError) throw invalid(error)
      throw new NodeProblem(
        0,
        `The access node at ${this.#base} is not reachable. Check your network connection and the CORS settings of ` +
          'the node.',
        { cause: error },
      )
    }
    if (!response.ok) {
      const { message } = fieldsOf(answer)
      throw new NodeProblem(
        response.status,
        typeof message === 'string' ? message : `The node returned status ${response.status}.`,
      )
    }
    return answer
  }
}

const statuses = ['Pending', 'Finalized', 'Executed', 'Sealed', 'Expired'] as const

function isStatus(text: string): text is TransactionResult['status'] {
  return (statuses as readonly string[]).includes(text)
}

function readEvent(event: unknown): ChainEvent {
  const { type, payload } = fieldsOf(event)
  const value = typeof payload === 'string' ? readJson(fromBase64(payload)) : undefined
  return { type: typeof type === 'string' ? type : '', value: value as CadenceValue | undefined }
}

function invalid(cause?: unknown): NodeProblem {
  return new NodeProblem(0, 'The node returned an invalid response.', { cause })
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function digits(address: string): string {
  return address.replace(/^0x/, '')
}

function toBase64(text: string): string {
  return base64Of(new TextEncoder().encode(text))
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** @throws NodeProblem */
function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
  } catch (error) {
    throw invalid(error)
  }
}
