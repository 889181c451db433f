import type { ReactNode } from 'react'
import { Age } from '../kit/age.tsx'
import { Button } from '../kit/button.tsx'
import { formatNumber, formatTime } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import { useToast } from '../kit/toast.tsx'
import type { Lease } from './contract.ts'

/** Everything that is known of a lease, its stack included, and all of it to be copied for a colleague. */
export function LeaseDetails({ lease }: { readonly lease: Lease }): ReactNode {
  const say = useToast()
  const { error, stack, reason, leasedBy, notBefore, createdAt, updatedAt, attempt, expiries } = lease
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(JSON.stringify(lease, null, 2))
      say('Copied.')
    } catch (failure) {
      say(failure instanceof DOMException ? 'The browser does not allow copying here.' : String(failure), 'bad')
    }
  }
  return (
    <div className="lease-details">
      {reason !== null && (
        <p>
          <strong>Reason:</strong> {reason}
        </p>
      )}
      {error !== null && stack?.includes(error) !== true && <p className="full-error">{error}</p>}
      {stack !== null && (
        <pre tabIndex={0} aria-label="Stack">
          {stack}
        </pre>
      )}
      <dl className="facts">
        <div>
          <dt>Runs</dt>
          <dd>
            {formatNumber(attempt)}
            {expiries > 0 && `, ${formatNumber(expiries)} ended by the loss of a process`}
          </dd>
        </div>
        {leasedBy !== null && (
          <div>
            <dt>Last process</dt>
            <dd>
              <code>{leasedBy}</code>
            </dd>
          </div>
        )}
        {notBefore !== null && (
          <div>
            <dt>Not before</dt>
            <dd>{formatTime(notBefore)}</dd>
          </div>
        )}
        <div>
          <dt>Cut</dt>
          <dd>{formatTime(createdAt)}</dd>
        </div>
        <div>
          <dt>Last change</dt>
          <dd>
            {formatTime(updatedAt)} (<Age since={updatedAt} />)
          </dd>
        </div>
      </dl>
      <Button isSmall onClick={() => void copy()}>
        <Icon name="copy" size={14} />
        Copy as JSON
      </Button>
    </div>
  )
}
