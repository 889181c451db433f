import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { problemText } from '../../auth/auth-service.ts'
import { Button } from '../../kit/controls.tsx'
import { plainUnits } from '../chain/amounts.ts'
import { checkPolicy } from '../chain/app-policies.ts'
import type { Signing } from '../chain/app-policies.ts'
import { contractName } from '../chain/balance-changes.ts'
import type { PolicyDecision } from '../types.ts'

interface AppLimits {
  /** Undefined until the service has answered: nothing is signed before. */
  readonly decision: PolicyDecision['decision'] | undefined
  readonly note: ReactNode
}

export function useAppLimits(signing: Signing | undefined): AppLimits {
  const auth = useAuth()
  const { data, error, refetch } = useQuery({
    queryKey: ['own', 'policy', signing],
    queryFn: () => (signing === undefined ? undefined : checkPolicy(auth, signing)),
    enabled: signing !== undefined,
    staleTime: 0,
  })
  if (signing === undefined) return { decision: undefined, note: null }
  if (data !== undefined) return { decision: data.decision, note: <Note {...data} {...signing} /> }
  const note = error !== null && (
    <p className="banner bad" role="alert">
      Could not check your limits for this app: {problemText(error)}{' '}
      <Button isSmall onClick={() => void refetch()}>
        Retry
      </Button>
    </p>
  )
  return { decision: undefined, note }
}

function Note({ decision, limit, left, origin, spend }: PolicyDecision & Signing): ReactNode {
  const page = (
    <a href={`/apps?app=${encodeURIComponent(origin)}`} target="_blank" rel="noreferrer">
      {decision === 'none' ? 'Set limits for this app' : 'Limits for this app'}
    </a>
  )
  const asset = spend.kind !== 'payment' ? '' : spend.asset === 'FLOW' ? 'FLOW' : contractName(spend.asset)
  const rest = limit !== null && left !== null && `${plainUnits(BigInt(left))} of ${plainUnits(BigInt(limit))} ${asset}`
  switch (decision) {
    case 'none':
      return <p className="soft small">{page}</p>
    case 'within':
      return (
        <p className="soft small">
          {rest !== false && <>Within your limit: {rest} left today. </>}
          {page}
        </p>
      )
    case 'ask':
      return (
        <p className="banner" role="status">
          <span>No limit covers this transaction: review it. {page}</span>
        </p>
      )
    case 'over':
      return (
        <p className="banner bad" role="alert">
          <span>
            Over your limit for this app: {rest} left today. {page}
          </span>
        </p>
      )
    case 'refuse':
      return (
        <p className="banner bad" role="alert">
          <span>Your limits refuse this transaction, because none of them covers it. {page}</span>
        </p>
      )
  }
}
