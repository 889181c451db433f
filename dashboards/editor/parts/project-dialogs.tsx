import { Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { lazyPart } from '../../kit/lazy-part.ts'
import { navigate } from '../../kit/router.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import type { ProjectRow } from '../types.ts'
import { moveProblem, freePath, withFile, withFolder, withMoved, withoutPath } from '../project/file-tree.ts'
import { pathProblem } from '../project/path-problem.ts'
import { nameProblem } from '../project/project-state.ts'
import type { ProjectState } from '../project/project-state.ts'
import type { SaveState } from '../project/project-saver.ts'
import type { Session } from '../session.ts'
import { useSettings } from '../settings.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { NameDialog, TemplatesDialog, ProjectsDialog, ShareDialog, SignInDialog } from './dialogs.tsx'

const RepositoryDialog = lazyPart(async () => (await import('../repository/repository-dialog.tsx')).RepositoryDialog, {
  name: 'RepositoryDialog',
})

const ImportDialog = lazyPart(async () => (await import('./import-dialog.tsx')).ImportDialog, { name: 'ImportDialog' })

type Kind = 'file' | 'folder'

export type ProjectDialog =
  | { readonly is: 'new'; readonly kind: Kind; readonly folder: string }
  | { readonly is: 'rename' | 'delete'; readonly path: string; readonly kind: Kind }
  | { readonly is: 'project-name' | 'projects' | 'templates' | 'share' | 'repository' | 'conflict' | 'import' }
  | { readonly is: 'delete-project'; readonly project: ProjectRow }
  | { readonly is: 'sign-in'; readonly reason: string }

export interface ProjectDialogsProps {
  readonly session: Session
  readonly project: ProjectState
  readonly save: SaveState
  readonly dialog: ProjectDialog | undefined
  readonly onDialog: (dialog: ProjectDialog | undefined) => void
  readonly onOpen: (path: string) => void
  readonly onNew: () => void
  readonly onDiscard: () => void
}

const pathHint =
  'Separate folders with /, as in contracts/Token.cdc. The folders deps/ and imports/ are reserved for imported ' +
  'contracts.'

export function ProjectDialogs({
  session,
  project,
  save,
  dialog,
  onDialog,
  onOpen,
  onNew,
  onDiscard,
}: ProjectDialogsProps): ReactNode {
  const { store, saver } = session
  const settings = useSettings()
  const close = (): void => onDialog(undefined)
  const change = (act: (state: ProjectState) => ProjectState): void => {
    store.change(act)
    close()
  }
  if (dialog === undefined) return null
  switch (dialog.is) {
    case 'new':
      return (
        <NameDialog
          title={dialog.kind === 'file' ? 'New file' : 'New folder'}
          label="Path"
          action="Create"
          hint={pathHint}
          first={
            (dialog.folder === '' ? '' : `${dialog.folder}/`) +
            (dialog.kind === 'file' ? freePath(project.files, 'untitled.cdc') : 'folder')
          }
          check={(path) => pathProblem(path, project.files.keys(), project.folders)}
          onClose={close}
          onName={(path) => {
            change((state) => (dialog.kind === 'folder' ? withFolder(state, path) : withFile(state, path, '')))
            if (dialog.kind === 'file') onOpen(path)
          }}
        />
      )
    case 'rename':
      return (
        <NameDialog
          title={`Rename ${dialog.path}`}
          label="New path"
          action="Rename"
          first={dialog.path}
          hint={pathHint}
          onClose={close}
          check={(path) => (path === dialog.path ? undefined : moveProblem(project, dialog.path, path))}
          onName={(path) => change((state) => withMoved(state, dialog.path, path))}
        />
      )
    case 'delete':
      return (
        <Dialog
          title={`Delete ${dialog.path}?`}
          action="Delete"
          isDangerous
          onSubmit={() => change((state) => withoutPath(state, dialog.path))}
          onClose={close}
        >
          <p>
            {dialog.kind === 'folder'
              ? 'This deletes the folder and its files. It cannot be undone.'
              : 'This deletes the file. It cannot be undone.'}
          </p>
        </Dialog>
      )
    case 'project-name':
      return (
        <NameDialog
          title="Rename project"
          label="Name"
          action="Rename"
          first={project.name}
          hint="The link of the project does not change."
          onClose={close}
          check={nameProblem}
          onName={(name) => change((state) => ({ ...state, name, isTouched: true }))}
        />
      )
    case 'templates':
      return (
        <TemplatesDialog
          onClose={close}
          onFiles={(files) => {
            let state = store.state
            const paths = files.map(({ path: newPath, code }) => {
              const isThere = state.files.get(newPath) === code
              const path = isThere ? newPath : freePath(state.files, newPath)
              state = withFile(state, path, code)
              return path
            })
            change(() => state)
            for (const path of paths.toReversed()) onOpen(path)
          }}
        />
      )
    case 'import':
      return (
        <Suspense>
          <ImportDialog
            project={project}
            onClose={close}
            onImport={(files) =>
              change((state) => files.reduce((next, { path, content }) => withFile(next, path, content), state))
            }
          />
        </Suspense>
      )
    case 'share':
      return (
        <ShareDialog
          project={project}
          save={save}
          url={settings.url}
          onPublic={(isPublic) =>
            void (store.change((state) => ({ ...state, isPublic, isTouched: true })), saver.saveNow())
          }
          onClose={close}
        />
      )
    case 'repository':
      return (
        <Suspense>
          <RepositoryDialog session={session} save={save} onClose={close} />
        </Suspense>
      )
    case 'conflict':
      if (save.is !== 'conflict') return null
      return (
        <ConflictDialog
          merged={saver.mergeWith(save.theirs)}
          onClose={close}
          onResolve={(files) => void (close(), saver.resolve(save.theirs, files))}
        />
      )
    case 'projects':
      return (
        <ProjectsDialog
          current={project.saved?.slug}
          onClose={close}
          onDelete={(row) => onDialog({ is: 'delete-project', project: row })}
          onOpen={(slug) => {
            close()
            navigate(`/p/${slug}`)
          }}
          onNew={() => {
            close()
            onNew()
          }}
        />
      )
    case 'delete-project':
      return (
        <DeleteProject
          row={dialog.project}
          isOpen={dialog.project.id === project.saved?.id}
          onBack={() => onDialog({ is: 'projects' })}
          onDiscard={onDiscard}
          onClose={close}
        />
      )
    case 'sign-in':
      return <SignInDialog reason={dialog.reason} onClose={close} onLeave={() => session.draftStore.storeNow()} />
  }
}

interface DeleteProjectProps {
  readonly row: ProjectRow
  readonly isOpen: boolean
  readonly onBack: () => void
  readonly onDiscard: () => void
  readonly onClose: () => void
}

function DeleteProject({
  row: { id, name, is_public: isPublic },
  isOpen,
  onBack,
  onDiscard,
  onClose,
}: DeleteProjectProps): ReactNode {
  const { projects } = useAccount()
  const showToast = useToast()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const remove = async (): Promise<void> => {
    setIsBusy(true)
    try {
      await projects.remove(id)
      showToast(`${name} was deleted.`)
      if (isOpen) {
        onClose()
        onDiscard()
      } else onBack()
    } catch (error) {
      setProblem(problemText(error))
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      title={`Delete ${name}?`}
      action="Delete project"
      isDangerous
      isBusy={isBusy}
      error={problem}
      onSubmit={() => void remove()}
      onClose={onBack}
    >
      <p>
        This deletes the project and its files. It cannot be undone.
        {isPublic ? ' Its link stops working. Forks of other users stay.' : ''}
      </p>
    </Dialog>
  )
}
