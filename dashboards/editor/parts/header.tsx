import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { ApplicationMenu } from '../../kit/applications.tsx'
import { Badge, Brand, Button, Icon } from '../../kit/controls.tsx'
import { Link } from '../../kit/router.tsx'
import { ThemeToggle } from '../../kit/theme.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import type { DraftState } from '../project/drafts.ts'
import type { ProjectState } from '../project/project-state.ts'
import type { SaveState } from '../project/project-saver.ts'

interface HeaderProps {
  readonly project: ProjectState
  readonly saveSign: ReactNode
  readonly isFilesOpen: boolean
  readonly onFiles: () => void
  readonly onName: () => void
  readonly onSignIn: () => void
  readonly onProjects: () => void
  readonly onNew: () => void
  readonly onTemplates: () => void
  readonly onShare: () => void
  readonly onFork: () => void
  readonly onCommands: () => void
  readonly onRepository: (() => void) | undefined
}

export function Header(props: HeaderProps): ReactNode {
  const {
    project: { name, isReadOnly, isPublic, saved, forkedFrom },
    saveSign,
    isFilesOpen,
    onFiles,
    onName,
    onProjects,
    onNew,
    onTemplates,
    onShare,
    onFork,
    onCommands,
    onRepository,
    onSignIn,
  } = props
  const { is } = useAccount()
  return (
    <header className="bar-top">
      <span className="drawer-button">
        <Button look="plain" isIcon aria-label="Files" aria-expanded={isFilesOpen} onClick={onFiles}>
          <Icon name="menu" />
        </Button>
      </span>
      <Brand />
      <ApplicationMenu current="editor" />
      <h1 className="project-title">
        {isReadOnly ? (
          <span>{name}</span>
        ) : (
          <button type="button" title="Rename project" onClick={onName}>
            {name}
          </button>
        )}
      </h1>
      {isReadOnly && <Badge>Read only</Badge>}
      {!isReadOnly && saved !== undefined && (
        <Badge tone={isPublic ? 'busy' : 'neutral'}>{isPublic ? 'Public' : 'Private'}</Badge>
      )}
      {forkedFrom !== undefined && (
        <span className="soft small fork-of">
          fork of <Link to={`/p/${forkedFrom.slug}`}>{forkedFrom.name}</Link>
        </span>
      )}
      {saveSign}
      <div className="top-acts">
        <Button
          look="plain"
          isIcon
          aria-label="Commands"
          title="Commands (Ctrl+Shift+P, ⌘ Shift P or F1)"
          onClick={onCommands}
        >
          <Icon name="search" />
        </Button>
        {!isReadOnly && (
          <Button look="plain" onClick={onTemplates}>
            <Icon name="book" /> <span>Templates</span>
          </Button>
        )}
        <Button look="plain" onClick={onNew}>
          <Icon name="plus" /> <span>New</span>
        </Button>
        {is === 'signed-in' && (
          <Button look="plain" onClick={onProjects}>
            <Icon name="menu" /> <span>Projects</span>
          </Button>
        )}
        {!isReadOnly && is !== 'off' && (
          <Button onClick={onShare}>
            <Icon name="external" /> <span>Share</span>
          </Button>
        )}
        {!isReadOnly && is !== 'off' && onRepository !== undefined && (
          <Button look="plain" onClick={onRepository}>
            <Icon name="database" /> <span>Repository</span>
          </Button>
        )}
        {(isReadOnly || saved !== undefined) && (
          <Button look={isReadOnly ? 'strong' : 'plain'} onClick={onFork}>
            <Icon name="copy" /> <span>Fork</span>
          </Button>
        )}
      </div>
      <div className="top-who">
        <Who onSignIn={onSignIn} />
        <ThemeToggle />
      </div>
    </header>
  )
}

function Who({ onSignIn }: { readonly onSignIn: () => void }): ReactNode {
  const { is, email, signOut, loadAgain } = useAccount()
  const showToast = useToast()
  if (is === 'off' || is === 'loading') return null
  if (is === 'unknown')
    return (
      <Button isSmall onClick={loadAgain}>
        Could not load your account. Retry
      </Button>
    )
  if (is === 'signed-out')
    return (
      <Button look="strong" onClick={onSignIn}>
        Sign in
      </Button>
    )
  const leave = (): void => {
    signOut().catch((error: unknown) =>
      showToast(`Signed out in this browser, but the server could not end the session: ${problemText(error)}`, 'bad'),
    )
  }
  return (
    <>
      <span className="who" title={email}>
        {email ?? 'Passkey only'}
      </span>
      <Button look="plain" isIcon aria-label="Sign out" title="Sign out in all tabs" onClick={leave}>
        <Icon name="leave" />
      </Button>
    </>
  )
}

interface SaveSignProps {
  readonly save: SaveState
  readonly isTouched: boolean
  readonly draft: DraftState
  readonly onConflict: () => void
  readonly onRetry: () => void
}

export function SaveSign({ save, isTouched, draft, onConflict, onRetry }: SaveSignProps): ReactNode {
  return (
    <span className="save-sign" role="status" aria-label="Saving">
      {content()}
    </span>
  )

  function content(): ReactNode {
    switch (save.is) {
      case 'saved':
        return (
          <span className="good-text">
            <Icon name="check" size={14} /> Saved
          </span>
        )
      case 'saving':
        return (
          <span className="soft">
            <span className="spinner" /> Saving…
          </span>
        )
      case 'unsaved':
        return <span className="soft">Not saved yet</span>
      case 'read-only':
        return <span className="soft">Read only</span>
      case 'conflict':
        return (
          <button type="button" className="save-problem" onClick={onConflict}>
            <Icon name="alert" size={14} /> Conflicting changes: resolve
          </button>
        )
      case 'failed':
        return (
          <button type="button" className="save-problem" title={save.reason} onClick={onRetry}>
            <Icon name="alert" size={14} /> <span>Not saved: {save.reason}</span>
          </button>
        )
      case 'local':
        if (draft.problem !== undefined)
          return (
            <span className="bad-text" title={draft.problem}>
              <Icon name="alert" size={14} /> Not stored: {draft.problem}
            </span>
          )
        if (!isTouched) return <span className="soft">No changes yet</span>
        return <span className="soft">{draft.isStored ? 'Stored in this browser' : 'Not stored yet'}</span>
    }
  }
}
