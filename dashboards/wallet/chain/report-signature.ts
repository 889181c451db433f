import { hexOf } from '../../../clients/signing/bytes.ts'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { readRecoveryChange } from '../../../clients/signing/transactions/recovery.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { useAuth } from '../../auth/auth-provider.tsx'
import { balanceChanges } from './balance-changes.ts'
import type { SignedCode } from './chain-client.ts'
import { reportSignature } from './passkeys.ts'

/** For transactions that the wallet itself makes. */
export function useReportSigned(): (signed: SignedCode) => void {
  const auth = useAuth()
  return ({ account: { network, address }, code, chain, credentialId }) =>
    void describeCode(code, chain).then(({ action, summary }) =>
      reportSignature(auth, { kind: 'transaction', network, address, credentialId, action, summary }),
    )
}

/** Unknown scripts by their digest. */
export async function describeCode(
  code: TransactionCode,
  chain: FlowChain,
): Promise<{ readonly action: string | undefined; readonly summary: string }> {
  const known = readKnownTransaction(code, chain)
  if (known !== undefined) return { action: known.name, summary: describeKnown(known) }
  const recovery = readRecoveryChange(code)
  if (recovery !== undefined)
    return { action: recovery.name, summary: `${wordsOf(recovery.name)} by contract ${recovery.contract}` }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code.script))
  return { action: undefined, summary: `Script with SHA-256 ${hexOf(new Uint8Array(digest))}` }
}

function wordsOf(action: string): string {
  const name = action.replaceAll('-', ' ')
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** The log accepts no more characters. */
const maxSummary = 300

function describeKnown(known: KnownTransaction): string {
  const words = wordsOf(known.name)
  const moved = balanceChanges(known).map(({ direction, text }) => `${direction === 'out' ? '−' : '+'}${text}`)
  const to = 'to' in known ? ` to ${known.to}` : ''
  return (moved.length === 0 ? words : `${words}: ${moved.join(', ')}${to}`).slice(0, maxSummary)
}
