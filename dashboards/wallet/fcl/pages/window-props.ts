import type { OwnAccount } from '../../chain/send-transaction.ts'
import type { AppRequest, OpenerChannel } from '../opener-channel.ts'

/** What each of the windows is given. */
export interface WindowProps {
  readonly request: AppRequest
  /** Accounts of whoever is signed in, with all passkeys that may sign for them. */
  readonly own: readonly OwnAccount[]
  readonly channel: OpenerChannel
  readonly readAgain: () => void
}
