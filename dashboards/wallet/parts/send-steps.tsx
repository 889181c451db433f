import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import type { SendStage } from '../chain/send-transaction.ts'

const steps = [
  { name: 'Signed by your passkey', now: 'Your passkey signs…', from: 'sending' },
  { name: 'Sent to the network', now: 'It is sent…', from: 'sent' },
  { name: 'Run in a block', now: 'A block takes it…', from: 'executed' },
  { name: 'Sealed', now: 'The network seals it…', from: 'sealed' },
] as const satisfies readonly { readonly name: string; readonly now: string; readonly from: SendStage }[]
const order: readonly SendStage[] = ['preparing', 'signing', 'sending', 'sent', 'executed', 'sealed']

/** How far a transaction is. */
export function SendSteps({ stage, hasFailed }: { readonly stage: SendStage; readonly hasFailed: boolean }): ReactNode {
  const at = order.indexOf(stage)
  const current = steps.findIndex(({ from }) => order.indexOf(from) > at)
  return (
    <ol className="steps" aria-label="How far it is" aria-live="polite">
      {steps.map(({ name, now }, i) => {
        const look = current < 0 || i < current ? 'done' : i === current ? (hasFailed ? 'bad' : 'now') : 'later'
        return (
          <li key={name} className={look}>
            <span className="step-sign" aria-hidden="true">
              {look === 'done' && <Icon name="check" size={14} />}
              {look === 'bad' && <Icon name="cross" size={14} />}
              {look === 'now' && <span className="spinner" />}
            </span>
            {look === 'now' ? now : name}
          </li>
        )
      })}
    </ol>
  )
}
