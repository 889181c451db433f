import type { TransactionSignature } from '../../../clients/signing/encode-transaction.ts'
import { fclSignatureOf } from '../../../clients/signing/fcl-signable.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { hasHiddenCharacters } from './readable.ts'
import { SigningError } from '../../../clients/signing/signing-error.ts'

/** What FCL is told about an account, so that it knows whom to ask for what. */

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

/**
 * The answer to a sign-in (`AuthnResponse`).
 * @param wallet origin of the wallet, where the windows of its services are
 */
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
      // FCL hands `data` on, and says not otherwise whose signature it wants.
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

/** What FCL calls networks; those that are missing have no accounts here. */
const chains: Readonly<Record<string, FlowChain>> = {
  mainnet: 'mainnet',
  testnet: 'testnet',
  emulator: 'emulator',
  local: 'emulator',
}

/** @returns undefined for a network that this wallet does not know */
export function chainOfNetwork(network: string): FlowChain | undefined {
  return Object.hasOwn(chains, network) ? chains[network] : undefined
}

type ProofWish =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'wanted'
      readonly appIdentifier: string
      readonly nonce: string
      /** It is not the address of the application's page, but a name of its own. */ readonly isNamed: boolean
    }
  /** It would be good at another page. */
  | { readonly kind: 'foreign'; readonly appIdentifier: string }

/** Whether an application wants the account to be proved, and whether that is for itself. */
export function proofWish({ nonce, appIdentifier }: Readonly<Record<string, unknown>>, origin: string): ProofWish {
  if (typeof nonce !== 'string' || nonce === '') return { kind: 'none' }
  const identifier = typeof appIdentifier === 'string' && appIdentifier !== '' ? appIdentifier : origin
  if (identifier === origin) return { kind: 'wanted', appIdentifier: identifier, nonce, isNamed: false }
  return looksLikeAddress(identifier)
    ? { kind: 'foreign', appIdentifier: identifier }
    : { kind: 'wanted', appIdentifier: identifier, nonce, isNamed: true }
}

/** Addresses of the web and names of hosts: what is left are names such as `Heron House (v0.2)`. */
function looksLikeAddress(identifier: string): boolean {
  // Browsers take these for the point of a host, too.
  const plain = identifier.normalize('NFKC').replaceAll('。', '.').trim()
  return (
    /^(?:[a-z][a-z\d+.-]*:|\/\/|localhost\b)/i.test(plain) ||
    /[\p{L}\d-]\.(?:\p{L}{2,}|xn--)/iu.test(plain) ||
    /\d+\.\d+\.\d+\.\d+/.test(plain) ||
    hasHiddenCharacters(plain)
  )
}

/** Why a request cannot be signed, for users and developers. @throws errors that the request did not cause */
export function fclShapeProblem(error: unknown): string {
  if (!(error instanceof SigningError)) throw error
  return error.field === 'message'
    ? 'What the page wants to have signed is not the transaction that it shows. Its message has to be that of its ' +
        'voucher.'
    : `The page sent something that no wallet can sign: ${error.message}.`
}
