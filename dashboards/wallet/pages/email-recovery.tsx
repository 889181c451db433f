import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { Button } from '../../kit/controls.tsx'
import { formatTime } from '../../kit/formats.ts'
import { useToast } from '../../kit/toast.tsx'
import { beginRecovery, cancelRecovery, readRecovery, setRecovery } from '../chain/passkeys.ts'
import type { RecoveryStatus } from '../chain/passkeys.ts'
import { useRefresh } from '../own-data.ts'
import { AccountRecoveries } from './account-recoveries.tsx'

export function EmailRecovery(): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const showToast = useToast()
  const { data, error, refetch } = useQuery({ queryKey: ['own', 'recovery'], queryFn: () => readRecovery(auth) })
  const { isBusy, problem, run } = useAction()
  const act = (change: () => Promise<unknown>, done: string): void =>
    void run(async () => {
      await change()
      await reload()
      showToast(done)
    })
  return (
    <section className="panel" aria-label="Recovery by e-mail">
      <header>
        <h2>Recovery by e-mail</h2>
      </header>
      {data === undefined && <QueryState what="the recovery" rows={1} error={error} refetch={refetch} />}
      {data !== undefined && (
        <>
          <div className="panel-text stack">
            <p className="soft">
              If you lose all passkeys, sign in by e-mail and create a new one here. It is valid after 24 hours of
              notice. Anyone who reads your mailbox can do this too.
            </p>
            {data.dueAt !== null && (
              <p className="banner bad" role="status">
                {begunText(data.dueAt, data)}
              </p>
            )}
            <ProblemLine problem={problem} />
            <div className="button-row">
              {data.dueAt !== null && (
                <Button
                  isSmall
                  look="strong"
                  disabled={isBusy}
                  onClick={() => act(() => cancelRecovery(auth), 'The recovery was cancelled.')}
                >
                  Cancel the recovery
                </Button>
              )}
              {data.isEnabled && data.dueAt === null && (
                <Button
                  isSmall
                  disabled={isBusy}
                  onClick={() => act(() => beginRecovery(auth), 'The recovery has begun. You receive an e-mail.')}
                >
                  I lost my passkeys
                </Button>
              )}
              <Button
                isSmall
                disabled={isBusy}
                onClick={() =>
                  act(
                    () => setRecovery(auth, !data.isEnabled),
                    data.isEnabled ? 'Recovery by e-mail is off.' : 'Recovery by e-mail is on.',
                  )
                }
              >
                {data.isEnabled ? 'Switch off' : 'Switch on'}
              </Button>
            </div>
          </div>
          <AccountRecoveries isEnabled={data.isEnabled} />
        </>
      )}
    </section>
  )
}

function begunText(dueAt: string, { addresses }: RecoveryStatus): string {
  const keys = addresses.length === 0 ? '' : ` and a key of ${addresses.join(' and ')}`
  const due = formatTime(dueAt)
  return `A recovery has begun. At ${due} its passkey becomes valid${keys}. If this was not you, cancel it.`
}
