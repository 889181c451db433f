import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Failure, Loading, NothingHere } from '../kit/state.tsx'
import { isTokenWanted, problemText } from './api.ts'
import { useHealth } from './queries.ts'
import { useToken } from '../kit/token.ts'

/** What stands in place of a list that is not there: it is on its way, it is locked, or it could not be had. */
export function ListState({ list, what }: { readonly list: UseQueryResult; readonly what: string }): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  if (isTokenWanted(list.error) || (health?.needs_token === true && token === undefined))
    return <NothingHere title="A token is wanted">It opens {what}.</NothingHere>
  if (list.error !== null)
    return (
      <Failure title={`Could not load ${what}`} detail={problemText(list.error)} onRetry={() => void list.refetch()} />
    )
  return <Loading rows={4} label={`Loading ${what}`} />
}
