import type { Moment } from '../activity.ts'
import type { DraftEvent, SignedDraft } from '../draft.ts'
import { takeFee, transactionFee } from '../movements/fees.ts'
import { accountAt, accountOfAddress } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { systemAccounts } from '../world/tokens.ts'
import { preprocessingError } from './check-signatures.ts'
import { planSubmission } from './plan-submission.ts'
import type { Submission } from './submission.ts'

/** Whose place is taken in a draft by an address that nobody has; such a transaction fails. */
const nobody = accountAt(0)

/**
 * Executes a transaction that was sent: to the state, and as a draft that tells what came of it. One whose signatures or sequence number are wrong costs
 * nothing, as on the chain; one that fails later costs its fee, and its sequence number.
 */
export function runSubmission(moment: Moment, { body }: Submission): SignedDraft {
  const { state } = moment
  const payer = accountOfAddress(body.payer) ?? nobody
  const draft = {
    script: body.script,
    arguments: [],
    authorizers: body.authorizers.map((address) => accountOfAddress(address) ?? nobody),
    gasLimit: Number(body.gasLimit),
    computation: 0,
    events: [],
    payer,
    sequenceNumber: Number(body.proposerSequenceNumber),
    body,
  }
  const error = preprocessingError(state, body)
  if (error !== undefined) return { ...draft, error }
  state.outsiders.propose(accountOfAddress(body.proposerAddress) ?? nobody, body.proposerKeyId)
  const plan = planSubmission(state, body)
  const events: DraftEvent[] = []
  if (!('error' in plan)) plan.apply(moment, events)
  payFee(moment, payer, plan.computation, events)
  return { ...draft, computation: plan.computation, events, ...('error' in plan ? { error: plan.error } : {}) }
}

function payFee(moment: Moment, payer: Account, computation: number, events: DraftEvent[]): void {
  takeFee(moment, payer, computation, events)
  moment.state.outsiders.noteMove(payer, systemAccounts.flowFees, transactionFee)
}
