import { bytesOfHex, concatBytes, hexOf } from './bytes.ts'
import { domainTag, encodeEnvelope } from './encode-transaction.ts'
import type { FlowTransaction, Signer, TransactionSignature } from './encode-transaction.ts'
import { fieldsOf, textOf } from './fcl-shapes.ts'
import type { TransactionCode } from './transactions/make-transaction.ts'

export interface WalletClientOptions {
  /** Such as `https://wallet.example.com`. */
  readonly wallet: string
  /** REST API of an access node, such as `https://rest-mainnet.onflow.org`. */
  readonly accessNode: string
  readonly network: 'mainnet' | 'testnet' | 'emulator'
}

export interface ConnectedAccount extends Signer {
  /** With `nonce`: verify it on your server with `verifyAccountProof`. */
  readonly proof?: TransactionSignature
}

/** `blocked`: the browser opened no window. `closed`: the user closed it. */
export type WalletErrorCode = 'blocked' | 'closed' | 'declined' | 'no-key' | 'node' | 'failed' | 'expired'

export class WalletError extends Error {
  readonly code: WalletErrorCode

  constructor(code: WalletErrorCode, message: string) {
    super(message)
    this.name = 'WalletError'
    this.code = code
  }
}

const pollMs = 1000
const closedMs = 200
const maxText = 10_000

/**
 * An application's side of the wallet's windows, for browsers. Call `connect`, `signMessage` and
 * `send` in a click handler: browsers block other windows.
 */
export class WalletClient {
  readonly #wallet: string
  readonly #accessNode: string
  readonly #network: string

  constructor({ wallet, accessNode, network }: WalletClientOptions) {
    this.#wallet = new URL(wallet).origin
    this.#accessNode = accessNode.replace(/\/+$/, '')
    this.#network = network
  }

  /** @param options.nonce hex of at least 32 bytes from your server, for a proof. @throws WalletError */
  async connect({ nonce }: { readonly nonce?: string } = {}): Promise<ConnectedAccount> {
    const asked = nonce === undefined ? {} : { nonce, appIdentifier: location.origin }
    const { addr, services } = fieldsOf(await this.#ask('authn', () => Promise.resolve(asked)), 'response')
    const all = (Array.isArray(services) ? services : []).map((one) => fieldsOf(one, 'service'))
    const ofType = (type: string): Readonly<Record<string, unknown>> | undefined =>
      all.find((service) => service['type'] === type)
    const { keyId } = fieldsOf(fieldsOf(ofType('authz'), 'authz')['identity'], 'identity')
    const account = { address: textOf(addr, 'addr', 18), keyIndex: Number(keyId) }
    const data = ofType('account-proof')?.['data']
    if (data === undefined) return account
    const { signatures } = fieldsOf(data, 'proof')
    return { ...account, proof: signatureOf((signatures as readonly unknown[])[0]) }
  }

  /** @throws WalletError */
  async signMessage({ address }: Pick<Signer, 'address'>, message: Uint8Array): Promise<TransactionSignature> {
    return signatureOf(
      await this.#ask('user-signature', () => Promise.resolve({ message: hexOf(message), data: { addr: address } })),
    )
  }

  /** The account proposes, authorizes and pays. Resolves to the id once a node has it. @throws WalletError */
  async send(account: Signer, code: TransactionCode, { computeLimit = 9999 } = {}): Promise<string> {
    let transaction: FlowTransaction | undefined
    const signature = signatureOf(
      await this.#ask('authz', async () => {
        // While the window opens.
        transaction = await this.#prepare(account, code, computeLimit)
        return signableOf(transaction, account)
      }),
    )
    if (transaction === undefined) throw new WalletError('declined', 'The wallet answered before it was asked.')
    const { id } = fieldsOf(
      await this.#call('/v1/transactions', wireOf({ ...transaction, envelopeSignatures: [signature] })),
      'transaction',
    )
    return textOf(id, 'id', 64)
  }

  /** Resolves once the transaction is sealed. @throws WalletError `failed` with the chain's message, `expired` */
  async sealed(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    for (;;) {
      const result = fieldsOf(await this.#call(`/v1/transaction_results/${id}`, undefined, signal), 'result')
      const error = result['error_message']
      if (typeof error === 'string' && error !== '') throw new WalletError('failed', error)
      if (result['status'] === 'Expired') throw new WalletError('expired', 'The transaction expired: nothing changed.')
      if (result['status'] === 'Sealed') return
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  /** In units of 10^-8 FLOW. @throws WalletError */
  async balance(address: string): Promise<bigint> {
    return BigInt(String((await this.#account(address))['balance']))
  }

  async #prepare({ address, keyIndex }: Signer, code: TransactionCode, computeLimit: number): Promise<FlowTransaction> {
    const [blocks, { keys }] = await Promise.all([this.#call('/v1/blocks?height=sealed'), this.#account(address)])
    const header = fieldsOf(fieldsOf((blocks as readonly unknown[])[0], 'block')['header'], 'header')
    const key = (Array.isArray(keys) ? keys : [])
      .map((one) => fieldsOf(one, 'key'))
      .find(({ index }) => String(index) === String(keyIndex))
    if (key === undefined) throw new WalletError('no-key', `${address} has no key ${keyIndex}. Connect again.`)
    return {
      script: code.script,
      // The wallet encodes the arguments again.
      arguments: code.arguments.map((argument) => JSON.stringify(JSON.parse(argument))),
      referenceBlockId: textOf(header['id'], 'id', 64),
      computeLimit,
      payer: address,
      authorizers: [address],
      proposalKey: { address, keyIndex, sequenceNumber: BigInt(String(key['sequence_number'])) },
      payloadSignatures: [],
      envelopeSignatures: [],
    }
  }

  async #account(address: string): Promise<Readonly<Record<string, unknown>>> {
    return fieldsOf(await this.#call(`/v1/accounts/${address.replace(/^0x/, '')}?expand=keys`), 'account')
  }

  async #call(path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    const response = await fetch(`${this.#accessNode}${path}`, {
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (response.ok) return response.json()
    throw new WalletError(
      'node',
      `The access node returned ${response.status}: ${(await response.text()).slice(0, 500)}`,
    )
  }

  /** FCL's messages: `FCL:VIEW:READY`, its response, and the wallet's answer. */
  #ask(path: string, body: () => Promise<object>): Promise<unknown> {
    const wallet = this.#wallet
    const popup = window.open(`${wallet}/fcl/${path}`, '_blank', 'popup,width=480,height=720')
    if (popup === null) throw new WalletError('blocked', 'The browser blocked the window of the wallet. Allow pop-ups.')
    const prepared = body()
    return new Promise<unknown>((resolve, reject) => {
      prepared.catch(end)
      const timer = setInterval(() => {
        if (popup.closed) end(new WalletError('closed', 'The window of the wallet was closed.'))
      }, closedMs)
      window.addEventListener('message', receive)

      function receive({ source, origin, data }: MessageEvent<unknown>): void {
        if (source !== popup || origin !== wallet || typeof data !== 'object' || data === null) return
        const { type, status, reason, data: answer } = data as Readonly<Record<string, unknown>>
        if (type === 'FCL:VIEW:READY') void prepared.then((asked) => send(asked), end)
        if (type !== 'FCL:VIEW:RESPONSE') return
        if (status === 'APPROVED') end(undefined, answer)
        else end(new WalletError('declined', String(reason)))
      }
      const network = this.#network
      function send(asked: object): void {
        popup?.postMessage(
          { type: 'FCL:VIEW:READY:RESPONSE', body: asked, service: {}, config: { client: { network } } },
          wallet,
        )
      }
      function end(error: unknown, answer?: unknown): void {
        clearInterval(timer)
        window.removeEventListener('message', receive)
        popup?.close()
        if (error === undefined) resolve(answer)
        else reject(error instanceof Error ? error : new Error('The request could not be prepared.', { cause: error }))
      }
    })
  }
}

function signableOf(transaction: FlowTransaction, { address, keyIndex }: Signer): object {
  const { proposalKey } = transaction
  return {
    f_type: 'Signable',
    f_vsn: '1.0.1',
    message: hexOf(concatBytes(domainTag('transaction'), encodeEnvelope(transaction))),
    addr: address,
    keyId: keyIndex,
    voucher: {
      cadence: transaction.script,
      refBlock: transaction.referenceBlockId,
      computeLimit: transaction.computeLimit,
      arguments: transaction.arguments.map((argument) => JSON.parse(argument) as unknown),
      proposalKey: { address, keyId: proposalKey.keyIndex, sequenceNum: Number(proposalKey.sequenceNumber) },
      payer: transaction.payer,
      authorizers: transaction.authorizers,
      payloadSigs: [],
      envelopeSigs: [{ address, keyId: keyIndex, sig: null }],
    },
  }
}

function signatureOf(answer: unknown): TransactionSignature {
  const { addr, keyId, signature, extensionData } = fieldsOf(answer, 'signature')
  return {
    address: textOf(addr, 'addr', 18),
    keyIndex: Number(keyId),
    signature: bytesOfHex(textOf(signature, 'signature', 128), 'signature'),
    extensionData: bytesOfHex(textOf(extensionData, 'extensionData', maxText), 'extensionData'),
  }
}

/** Source: onflow/flow `openapi/access.yaml`. */
function wireOf(transaction: FlowTransaction): object {
  const { proposalKey } = transaction
  return {
    script: base64Of(new TextEncoder().encode(transaction.script)),
    arguments: transaction.arguments.map((argument) => base64Of(new TextEncoder().encode(argument))),
    reference_block_id: transaction.referenceBlockId,
    gas_limit: String(transaction.computeLimit),
    payer: plain(transaction.payer),
    proposal_key: {
      address: plain(proposalKey.address),
      key_index: String(proposalKey.keyIndex),
      sequence_number: String(proposalKey.sequenceNumber),
    },
    authorizers: transaction.authorizers.map(plain),
    payload_signatures: transaction.payloadSignatures.map(wireSignature),
    envelope_signatures: transaction.envelopeSignatures.map(wireSignature),
  }
}

function wireSignature({ address, keyIndex, signature, extensionData }: TransactionSignature): object {
  return {
    address: plain(address),
    key_index: String(keyIndex),
    signature: base64Of(signature),
    ...(extensionData === undefined ? {} : { extension_data: base64Of(extensionData) }),
  }
}

function plain(address: string): string {
  return address.replace(/^0x/i, '')
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
