import type { AccountRow } from '../../contract.ts'
import type { AppRequest, OpenerChannel } from '../opener-channel.ts'

/** What each of the windows is given. */
export interface WindowProps {
  readonly request: AppRequest
  /** Accounts of whoever is signed in. */
  readonly rows: readonly AccountRow[]
  readonly channel: OpenerChannel
  readonly readAgain: () => void
}
