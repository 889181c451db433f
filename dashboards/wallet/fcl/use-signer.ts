import { bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { Signer } from '../../../clients/signing/encode-transaction.ts'
import type { Passkey } from '../../../clients/signing/passkey.ts'
import { problemText } from '../../auth/problem.ts'
import { passkeyHere } from '../../auth/passkey-here.ts'
import type { OwnAccount } from '../chain/send-transaction.ts'
import { signersFor } from '../chain/signing-passkey.ts'
import { useChainAccount } from '../own.ts'
import { useSettings } from '../settings.ts'

export type FoundSigner =
  | { readonly status: 'loading' }
  | { readonly status: 'problem'; readonly detail: string; readonly retry?: () => void }
  | { readonly status: 'ready'; readonly signer: Signer & Passkey }

/**
 * The passkey that signs for an account, as the chain has its keys.
 * @param keyIndex the key that has to sign; undefined: whichever can sign alone
 */
export function useSigner(account: OwnAccount | undefined, keyIndex?: number): FoundSigner {
  const { rp_id: rpId } = useSettings()
  const { data, error, refetch } = useChainAccount(account?.network ?? 'testnet', account?.address)
  if (account === undefined || (data === undefined && error === null)) return { status: 'loading' }
  if (data === undefined) return { status: 'problem', detail: problemText(error), retry: () => void refetch() }
  const { address } = account
  const [found] = signersFor(account, data, passkeyHere()).filter(
    ({ key }) => keyIndex === undefined || key.index === keyIndex,
  )
  if (found === undefined) {
    const detail =
      keyIndex === undefined
        ? `None of your passkeys is a key of ${address} that can sign alone (any more).`
        : `The application wants key ${keyIndex} of ${address} to sign, and none of your passkeys is that key. Sign out in the application and connect this wallet again.`
    return { status: 'problem', detail }
  }
  const { key, credentialId, publicKeySec1Hex } = found
  return {
    status: 'ready',
    signer: {
      address,
      keyIndex: key.index,
      rpId,
      credentialId: bytesOfBase64Url(credentialId, 'credentialId'),
      publicKey: bytesOfHex(publicKeySec1Hex, 'publicKey'),
    },
  }
}
