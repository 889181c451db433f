import { useState, useEffect } from 'react'
import type { ReactNode } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Dialog, Modal } from '../../kit/dialog.tsx'
import { Icon, Badge, Button } from '../../kit/controls.tsx'
import type { Sample, ProjectRow } from '../types.ts'
import { templates } from '../project/templates.ts'
import { useSettings, networkNames } from '../settings.ts'
import { problemText } from '../../auth/auth-service.ts'
import { Ago } from '../../kit/time.tsx'
import { ErrorState, Loading, EmptyState } from '../../kit/state.tsx'
import { useAccount } from '../account.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import type { ProjectState } from '../project/project-state.ts'
import type { SaveState } from '../project/project-saver.ts'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { beginSignIn } from '../wallet-sign-in.ts'

interface NameDialogProps {
  readonly title: string
  readonly label: string
  readonly action: string
  readonly first: string
  readonly hint?: string
  /** Says what is wrong with a name; undefined for a good one. */
  readonly check: (name: string) => string | undefined
  readonly onName: (name: string) => void
  readonly onClose: () => void
}

/** Asks for a name or a path, and says why one cannot be taken. */
export function NameDialog({ title, label, action, first, hint, check, onName, onClose }: NameDialogProps): ReactNode {
  const [name, setName] = useState(first)
  const [isTried, setIsTried] = useState(false)
  const problem = check(name.trim())
  return (
    <Dialog
      title={title}
      action={action}
      error={isTried ? problem : undefined}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true)
        if (problem === undefined) onName(name.trim())
      }}
    >
      <label className="field">
        <span>{label}</span>
        <input
          className="input mono"
          value={name}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={isTried && problem !== undefined}
          onFocus={({ target }) => {
            const { value } = target
            // Who comes back to what they typed goes on where they are.
            if (value !== first) return
            const dot = value.lastIndexOf('.')
            target.setSelectionRange(value.lastIndexOf('/') + 1, dot > value.lastIndexOf('/') ? dot : value.length)
          }}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {hint !== undefined && <p className="soft small">{hint}</p>}
    </Dialog>
  )
}

/** Files to begin with: templates, and scripts that are known to give an answer. */
export function TemplatesDialog({
  onFile,
  onClose,
}: {
  readonly onFile: (path: string, code: string) => void
  readonly onClose: () => void
}): ReactNode {
  // A template that the network knows as a sample is listed once.
  const samples = useSettings().samples.filter(({ code }) => !templates.some((template) => template.code === code))
  return (
    <Modal title="Add a file from a template" isWide onClose={onClose}>
      <div className="stack modal-body">
        <ul className="cards">
          {templates.map(({ name, title, path, code, note }) => (
            <li key={name}>
              <button type="button" className="card" onClick={() => onFile(path, code)}>
                <Icon name="code" />
                <b>{title}</b>
                <span className="soft small">{path}</span>
                {note !== undefined && <span className="soft small">{note}</span>}
              </button>
            </li>
          ))}
        </ul>
        {samples.length > 0 && (
          <>
            <h3>Scripts to try</h3>
            <ul className="cards">
              {samples.map((sample) => (
                <li key={sample.name}>
                  <button type="button" className="card" onClick={() => onFile(samplePath(sample), sample.code)}>
                    <Icon name="play" />
                    <b>{sample.title}</b>
                    <span className="soft small">{samplePath(sample)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Modal>
  )
}

function samplePath({ name }: Sample): string {
  return `scripts/${name.replaceAll(/[^\w-]/g, '-')}.cdc`
}

interface ProjectsDialogProps {
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
        <ErrorState title="Your projects cannot be listed" detail={problemText(error)} onRetry={() => void refetch()} />
      )}
      {data !== undefined && rows.length === 0 && (
        <EmptyState title="No projects yet">What you write is saved here as soon as you change something.</EmptyState>
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
              <Icon name="trash" />
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

interface ShareDialogProps {
  readonly project: ProjectState
  readonly save: SaveState
  /** Where the editor is at home. */
  readonly url: string
  readonly onPublic: (isPublic: boolean) => void
  readonly onClose: () => void
}

/** Lets others see a project, by its link. */
export function ShareDialog({ project, save, url, onPublic, onClose }: ShareDialogProps): ReactNode {
  const { saved, isPublic, isReadOnly } = project
  const link = `${url}/p/${saved?.slug ?? ''}`
  const isOnItsWay = saved === undefined || saved.isPublic !== isPublic
  return (
    <Modal title="Share this project" onClose={onClose}>
      <div className="stack modal-body">
        {isReadOnly ? null : (
          <label className="check-line">
            <input
              type="checkbox"
              className="check"
              aria-label="Anybody with the link can see it"
              checked={isPublic}
              onChange={(event) => onPublic(event.target.checked)}
            />
            <span>
              <b>Anybody with the link can see it</b>
              <br />
              <span className="soft">They can look at the code, run scripts and fork it. They cannot change it.</span>
            </span>
          </label>
        )}
        {isPublic && saved !== undefined && (
          <div className="field">
            <label htmlFor="share-link">Link</label>
            <div className="with-button">
              <input
                id="share-link"
                className="input mono"
                readOnly
                value={link}
                onFocus={({ target }) => target.select()}
              />
              <CopyButton text={link} what="the link" />
            </div>
          </div>
        )}
        <p className="soft" role="status">
          {save.is === 'failed'
            ? `Not saved: ${save.reason}`
            : isOnItsWay
              ? 'One moment: this is being saved.'
              : isPublic
                ? 'The project is public.'
                : 'The project is private: you alone can see it.'}
        </p>
      </div>
    </Modal>
  )
}

interface SignInDialogProps {
  readonly reason: string
  readonly onClose: () => void
  /** Keeps in the browser what is not saved. Default: there is nothing. */
  readonly onLeave?: () => Promise<void>
}

/** Redirects to the wallet to sign in; drafts are kept for the return. */
export function SignInDialog({ reason, onClose, onLeave = () => Promise.resolve() }: SignInDialogProps): ReactNode {
  const { is } = useAccount()
  const { wallet } = useSettings()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    // Another tab may have signed in.
    if (is === 'signed-in') onClose()
  }, [is, onClose])
  if (wallet === null) return null
  const leave = (): void =>
    void run(async () => {
      await onLeave()
      await beginSignIn(wallet)
    })
  return (
    <Modal title="Sign in" onClose={onClose}>
      <div className="stack sign-in">
        <p className="soft">{reason}</p>
        <p>
          You sign in at your wallet, <b className="wrap">{new URL(wallet.url).host}</b>, and then return here.
        </p>
        <ProblemLine problem={problem} />
        <Button look="strong" disabled={isBusy} onClick={leave}>
          {isBusy ? 'One moment…' : 'Continue to the wallet'}
        </Button>
      </div>
    </Modal>
  )
}
