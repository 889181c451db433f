import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { fclShapeProblem } from '../signable-problem.ts'
import { fclSignatureOf, readFclSignable } from '../../../../clients/signing/fcl-signable.ts'
import type { WantedSignature } from '../../../../clients/signing/fcl-signable.ts'
import { fclSignableOf } from '../../../../clients/signing/fcl-shapes.ts'
import { signTransaction } from '../../../../clients/signing/sign-transaction.ts'
import { useAction } from '../../../auth/use-action.ts'
import { chainOfAddress } from '../../chain/address-code.ts'
import { Decision } from '../parts/decision.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { TransactionReview } from '../parts/transaction-review.tsx'
import { fullAddress, summarize } from '../summary/transaction-summary.ts'
import type { TransactionSummary } from '../summary/transaction-summary.ts'
import { useLeaving } from '../use-leaving.ts'
import { useSigner } from '../use-signer.ts'
import type { WindowProps } from './window-props.ts'

type Wanted =
  | { readonly wanted: WantedSignature; readonly address: string; readonly summary: TransactionSummary }
  | { readonly problem: string }

/** An application wants to have a transaction signed. What is shown is read of the very object that is encoded and signed. */
export function AuthzWindow({ request, own, channel }: WindowProps): ReactNode {
  const read = useMemo(() => readRequest(request.body), [request])
  const account = useMemo(
    () => ('problem' in read ? undefined : own.find(({ address }) => address === read.address)),
    [own, read],
  )
  const found = useSigner(account, 'problem' in read ? undefined : read.wanted.signer.keyIndex)
  const { isBusy, problem, run } = useAction()
  const begin = useLeaving()
  if ('problem' in read) return <Refusal title="This cannot be signed" detail={read.problem} channel={channel} />
  const {
    wanted: { transaction, part },
    address,
    summary,
  } = read
  if (account === undefined) {
    return (
      <Refusal
        title="This is none of your accounts"
        detail={`The page wants ${address} to sign, and you are signed in as somebody who has other accounts.`}
        channel={channel}
        mayChange
      />
    )
  }
  if (found.status === 'problem')
    return (
      <Refusal title="Your account cannot sign this" detail={found.detail} channel={channel} onRetry={found.retry} />
    )

  const agree = (): void =>
    void run(async () => {
      if (found.status !== 'ready') return
      const left = begin()
      const signed = await signTransaction(transaction, found.signer, { signal: left })
      const signature = signed[part === 'envelope' ? 'envelopeSignatures' : 'payloadSignatures'].at(-1)
      if (left.aborted || signature === undefined) return
      channel.approve(fclSignatureOf(signature))
    })
  return (
    <>
      <h1>{summary.known?.name === 'send-flow' ? 'Send FLOW?' : 'Approve this transaction?'}</h1>
      <TransactionReview summary={summary} transaction={transaction} own={address} network={account.network} />
      <Decision
        action="Approve"
        isBusy={isBusy}
        isDisabled={found.status !== 'ready'}
        isDangerous={summary.warnings.length > 0}
        problem={problem}
        onAgree={agree}
        onDecline={() => channel.decline('The person declined the transaction.')}
      />
    </>
  )
}

function readRequest(body: unknown): Wanted {
  try {
    const wanted = readFclSignable(fclSignableOf(body))
    const address = fullAddress(wanted.signer.address)
    const chain = chainOfAddress(address)
    if (chain === undefined) return { problem: `${address} is an address of none of Flow's networks.` }
    return { wanted, address, summary: summarize(wanted.transaction, wanted.signer, chain) }
  } catch (error) {
    return { problem: fclShapeProblem(error) }
  }
}
