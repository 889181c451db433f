import { useState } from 'react'
import type { ReactNode } from 'react'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { useAction } from '../../auth/action.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useToast } from '../../kit/toast.tsx'
import { sendTransaction } from '../chain/chain-client.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { useReportSigned } from '../chain/report-signature.ts'
import { useRefresh, useSettings } from '../own-data.ts'

export interface Change {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly isDangerous: boolean
  /** The form in the dialog is not filled in yet. */
  readonly isIncomplete?: boolean
  readonly code: (chain: FlowChain) => TransactionCode
}

export function ChangeDialog({
  account,
  change,
  done,
  onClose,
  children,
}: {
  readonly account: OwnAccount
  readonly change: Change
  /** Shown after success. */
  readonly done: string
  readonly onClose: () => void
  readonly children?: ReactNode
}): ReactNode {
  const { rp_id: rpId } = useSettings()
  const reload = useRefresh()
  const onSigned = useReportSigned()
  const showToast = useToast()
  const { isBusy, problem, run } = useAction()
  const [control] = useState(() => new AbortController())
  const submit = async (): Promise<void> => {
    const isDone = await run(async () => {
      await sendTransaction({
        rpId,
        account,
        code: change.code,
        onStage: () => undefined,
        onSigned,
        signal: control.signal,
      })
      await reload()
    })
    if (!isDone) return
    showToast(done)
    onClose()
  }
  return (
    <Dialog
      title={change.title}
      action={isBusy ? 'Waiting for the chain…' : change.action}
      isDangerous={change.isDangerous}
      isBusy={isBusy || change.isIncomplete === true}
      error={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{change.text}</p>
      {children}
      <p className="soft">Your passkey signs the transaction. The account pays a fee of less than 0.01 FLOW.</p>
    </Dialog>
  )
}
