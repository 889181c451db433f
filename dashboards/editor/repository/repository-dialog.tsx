import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/problem.ts'
import { Failure, Loading } from '../../kit/state.tsx'
import { useAccount } from '../account.tsx'
import { Modal } from '../parts/modal.tsx'
import type { SavedProject } from '../project/project-state.ts'
import type { SaveState } from '../save/project-saver.ts'
import type { Session } from '../session.ts'
import { useStore } from '../use-store.ts'
import { ConnectForm } from './connect-form.tsx'
import { Connected } from './connected.tsx'

export interface RepositoryDialogProps {
  readonly session: Session
  readonly save: SaveState
  readonly onClose: () => void
}

/** The repository of a project: which it is, what differs, and what is deployed of it. */
export function RepositoryDialog({ session, save, onClose }: RepositoryDialogProps): ReactNode {
  const { saved } = useStore(session.store)
  return (
    <Modal title="Repository" isWide onClose={onClose}>
      <div className="stack modal-body">
        {saved === undefined ? (
          <p className="soft" role="status">
            {save.is === 'failed'
              ? `Not saved: ${save.reason} Only a project that is saved can have a repository.`
              : 'One moment: the project is being saved.'}
          </p>
        ) : (
          <Known session={session} saved={saved} />
        )}
      </div>
    </Modal>
  )
}

function Known({ session, saved }: { readonly session: Session; readonly saved: SavedProject }): ReactNode {
  const { repositories } = useAccount()
  const client = useQueryClient()
  const {
    data: connection,
    error,
    refetch,
  } = useQuery({
    queryKey: ['repository', saved.id, 'connection'],
    queryFn: () => repositories.connection(saved.id),
    staleTime: 0,
  })
  const again = (): void => void client.invalidateQueries({ queryKey: ['repository', saved.id] })
  if (connection === undefined) {
    if (error !== null)
      return <Failure title="The repository is not known" detail={problemText(error)} onRetry={() => void refetch()} />
    return <Loading label="The repository is looked up" rows={3} />
  }
  return connection === null ? (
    <ConnectForm saved={saved} keeper={session.keeper} onConnected={again} />
  ) : (
    <Connected session={session} saved={saved} connection={connection} onChanged={again} />
  )
}
