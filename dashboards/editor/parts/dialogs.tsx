import { useState, useEffect } from 'react'
import type { ReactNode } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Dialog, Modal } from '../../kit/dialog.tsx'
import { Icon, Badge, Button } from '../../kit/controls.tsx'
import type { IconName } from '../../kit/controls.tsx'
import type { Sample, ProjectRow } from '../types.ts'
import { examples } from '../project/examples.ts'
import { templates } from '../project/templates.ts'
import type { Template } from '../project/templates.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
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
  readonly check: (name: string) => string | undefined
  readonly onName: (name: string) => void
  readonly onClose: () => void
}

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

interface TemplatesDialogProps {
  readonly onFiles: (files: readonly TemplateFile[]) => void
  readonly onClose: () => void
}

type TemplateFile = Pick<Template, 'path' | 'code'>

export function TemplatesDialog({ onFiles, onClose }: TemplatesDialogProps): ReactNode {
  const samples = useSettings().samples.filter(({ code }) => !templates.some((template) => template.code === code))
  const card = (
    icon: IconName,
    title: string,
    { files, summary }: { readonly files: readonly TemplateFile[]; readonly summary?: string },
  ): ReactNode => (
    <li key={title}>
      <button type="button" className="card" onClick={() => onFiles(files)}>
        <Icon name={icon} />
        <b>{title}</b>
        {summary !== undefined && <span className="small">{summary}</span>}
        {files.map(({ path }) => (
          <span key={path} className="soft small">
            {path}
          </span>
        ))}
      </button>
    </li>
  )
  return (
    <Modal title="Add files from a template" isWide onClose={onClose}>
      <div className="stack modal-body">
        <ul className="cards">{templates.map(({ title, ...file }) => card('code', title, { files: [file] }))}</ul>
        <h3>Examples</h3>
        <p className="soft">
          Deploy the contract first: the transactions and scripts import it from the connected account. Examples run on
          Flow networks and emulators, not on the simulated chain of the demo.
        </p>
        <ul className="cards">{examples.map(({ title, ...example }) => card('book', title, example))}</ul>
        {samples.length > 0 && (
          <>
            <h3>Sample scripts</h3>
            <ul className="cards">
              {samples.map((sample) =>
                card('play', sample.title, { files: [{ path: samplePath(sample), code: sample.code }] }),
              )}
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
  readonly current: string | undefined
  readonly onOpen: (slug: string) => void
  readonly onNew: () => void
  readonly onDelete: (project: ProjectRow) => void
  readonly onClose: () => void
}

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
      {isPending && <Loading label="Loading your projects…" />}
      {error !== null && (
        <ErrorState title="Could not load your projects" detail={problemText(error)} onRetry={() => void refetch()} />
      )}
      {data !== undefined && rows.length === 0 && (
        <EmptyState title="No projects yet">Your projects appear here after your first change.</EmptyState>
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
            {isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </Modal>
  )
}

interface ShareDialogProps {
  readonly project: ProjectState
  readonly save: SaveState
  readonly url: string
  readonly onPublic: (isPublic: boolean) => void
  readonly onClose: () => void
}

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
              aria-label="Anyone with the link can view"
              checked={isPublic}
              onChange={(event) => onPublic(event.target.checked)}
            />
            <span>
              <b>Anyone with the link can view</b>
              <br />
              <span className="soft">They can read the code, run scripts and fork the project, but not change it.</span>
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
              ? 'Saving…'
              : isPublic
                ? 'The project is public.'
                : 'The project is private: only you can view it.'}
        </p>
      </div>
    </Modal>
  )
}

interface SignInDialogProps {
  readonly reason: string
  readonly onClose: () => void
  readonly onLeave?: () => Promise<void>
}

export function SignInDialog({ reason, onClose, onLeave = () => Promise.resolve() }: SignInDialogProps): ReactNode {
  const { is } = useAccount()
  const { wallet } = useSettings()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
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
          You sign in at the wallet, <b className="wrap">{new URL(wallet.url).host}</b>, and then return here.
        </p>
        <ProblemLine problem={problem} />
        <Button look="strong" disabled={isBusy} onClick={leave}>
          {isBusy ? 'Opening the wallet…' : 'Continue to the wallet'}
        </Button>
      </div>
    </Modal>
  )
}
