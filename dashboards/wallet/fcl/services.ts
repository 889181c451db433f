import type { TransactionSignature } from '../../../clients/signing/encode-transaction.ts'
import { fclSignatureOf } from '../../../clients/signing/fcl-signable.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { hasHiddenCharacters } from './readable.ts'
import { SigningError } from '../../../clients/signing/signing-error.ts'

interface ConnectedAccount {
  /** With 0x. */
  readonly address: string
  readonly keyIndex: number
}

interface ProvenAccount {
  readonly appIdentifier: string
  readonly nonce: string
  readonly signature: TransactionSignature
}

const name = 'flowfarm'
const service = (type: string, more: object): object => ({
  f_type: 'Service',
  f_vsn: '1.0.0',
  type,
  uid: `${name}#${type}`,
  ...more,
})

/** FCL's `AuthnResponse`. @param wallet origin of the wallet */
export function authnResponse(wallet: string, { address, keyIndex }: ConnectedAccount, proof?: ProvenAccount): object {
  const identity = { f_type: 'Identity', f_vsn: '1.0.0', address, keyId: keyIndex }
  const window = (path: string): object => ({
    method: 'POP/RPC',
    endpoint: `${wallet}/fcl/${path}`,
    id: address,
    identity,
  })
  return {
    f_type: 'AuthnResponse',
    f_vsn: '1.0.0',
    addr: address,
    services: [
      service('authn', {
        ...window('authn'),
        provider: { f_type: 'ServiceProvider', f_vsn: '1.0.0', address: null, name: `${name} wallet`, website: wallet },
      }),
      service('authz', window('authz')),
      // FCL does not name the signer otherwise.
      service('user-signature', { ...window('user-signature'), data: { addr: address, keyId: keyIndex } }),
      ...(proof === undefined
        ? []
        : [
            service('account-proof', {
              method: 'DATA',
              id: address,
              data: {
                f_type: 'account-proof',
                f_vsn: '2.0.0',
                address,
                nonce: proof.nonce,
                appIdentifier: proof.appIdentifier,
                signatures: [fclSignatureOf(proof.signature)],
              },
            }),
          ]),
    ],
  }
}

const chains: Readonly<Record<string, FlowChain>> = {
  mainnet: 'mainnet',
  testnet: 'testnet',
  emulator: 'emulator',
  local: 'emulator',
}

export function chainOfNetwork(network: string): FlowChain | undefined {
  return Object.hasOwn(chains, network) ? chains[network] : undefined
}

type ProofRequest =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'requested'
      readonly appIdentifier: string
      readonly nonce: string
      /** A custom name instead of the address of the page. */ readonly isNamed: boolean
    }
  /** The proof would be valid on another page. */
  | { readonly kind: 'foreign'; readonly appIdentifier: string }

export function proofRequest(
  { nonce, appIdentifier }: Readonly<Record<string, unknown>>,
  origin: string,
): ProofRequest {
  if (typeof nonce !== 'string' || nonce === '') return { kind: 'none' }
  const identifier = typeof appIdentifier === 'string' && appIdentifier !== '' ? appIdentifier : origin
  if (identifier === origin) return { kind: 'requested', appIdentifier: identifier, nonce, isNamed: false }
  return looksLikeAddress(identifier)
    ? { kind: 'foreign', appIdentifier: identifier }
    : { kind: 'requested', appIdentifier: identifier, nonce, isNamed: true }
}

/** URLs and host names; other identifiers are names such as `Heron House (v0.2)`. */
function looksLikeAddress(identifier: string): boolean {
  // Browsers read these as the dot of a host, too.
  const plain = identifier.normalize('NFKC').replaceAll('。', '.').trim()
  return (
    /^(?:[a-z][a-z\d+.-]*:|\/\/|localhost\b)/i.test(plain) ||
    /[\p{L}\d-]\.(?:\p{L}{2,}|xn--)/iu.test(plain) ||
    /\d+\.\d+\.\d+\.\d+/.test(plain) ||
    hasHiddenCharacters(plain)
  )
}

/** @throws errors that the request did not cause */
export function fclShapeProblem(error: unknown): string {
  if (!(error instanceof SigningError)) throw error
  return error.field === 'message'
    ? 'The message to sign is not the transaction that the app sent. The message must be the encoding of its ' +
        'voucher.'
    : `The request of the app is invalid: ${error.message}.`
}
