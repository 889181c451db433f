import type { AuthClient } from '../sessions/open-session.ts'
import type { AttemptLimits } from './attempt-limits.ts'

/**
 * Counts one e-mail for the client and for the mailbox. The client is counted first, so that one who is limited uses up
 * nothing of the mailbox.
 * @param mailbox `mailboxOf` the address
 * @throws ApiError 429 `over_email_send_rate_limit`
 */
export async function countMail(
  limits: AttemptLimits,
  mailbox: string,
  { network }: Pick<AuthClient, 'network'>,
): Promise<void> {
  await limits.take('mail', network)
  await limits.take('mailToBy', `${mailbox} ${network}`)
  await limits.take('mailAgain', mailbox)
  await limits.take('mailTo', mailbox)
}
