import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/problem.ts'
import { Ago } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Failure, Loading, NothingHere } from '../../kit/state.tsx'
import { useAccount } from '../account.tsx'
import type { ProjectRow } from '../contract.ts'
import { networkNames } from '../settings.ts'
import { Modal } from './modal.tsx'

export interface ProjectsDialogProps {
  /** Slug of the project that is open. */
  readonly current: string | undefined
  readonly onOpen: (slug: string) => void
  readonly onNew: () => void
  readonly onDelete: (project: ProjectRow) => void
  readonly onClose: () => void
}

/** The projects of whoever is signed in, newest first. */
export function ProjectsDialog({ current, onOpen, onNew, onDelete, onClose }: ProjectsDialogProps): ReactNode {
  const { projects, userId } = useAccount()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['projects', userId],
    queryFn: ({ pageParam }) => projects.list(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
    staleTime: 0,
    gcTime: 0,
  })
  const rows = data?.pages.flatMap((page) => page.projects) ?? []
  return (
    <Modal title="Your projects" isWide onClose={onClose}>
      <div className="modal-acts">
        <Button look="strong" onClick={onNew}>
          <Icon name="plus" /> New project
        </Button>
      </div>
      {isPending && <Loading label="Your projects load" />}
      {error !== null && (
        <Failure title="Your projects cannot be listed" detail={problemText(error)} onRetry={() => void refetch()} />
      )}
      {data !== undefined && rows.length === 0 && (
        <NothingHere title="No projects yet">What you write is saved here as soon as you change something.</NothingHere>
      )}
      <ul className="project-rows">
        {rows.map((project) => (
          <li key={project.id}>
            <button
              type="button"
              className="project-name"
              aria-current={project.slug === current ? 'true' : undefined}
              onClick={() => onOpen(project.slug)}
            >
              <b>{project.name}</b>
              <span className="soft small">
                {networkNames[project.network]} · saved <Ago at={project.updated_at} />
              </span>
            </button>
            {project.slug === current && <Badge tone="good">open</Badge>}
            {project.is_public && <Badge tone="busy">public</Badge>}
            <Button
              look="plain"
              isSmall
              isIcon
              aria-label={`Delete ${project.name}`}
              title="Delete"
              onClick={() => onDelete(project)}
            >
              <Icon name="bin" />
            </Button>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div className="modal-acts">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'One moment…' : 'Show more'}
          </Button>
        </div>
      )}
    </Modal>
  )
}
