import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../auth/auth-service.ts'
import { Badge, Button, Icon } from '../kit/controls.tsx'
import { navigate } from '../kit/router.tsx'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { useToast } from '../kit/toast.tsx'
import { useAccount } from './account.tsx'
import { ProjectDialogs } from './parts/project-dialogs.tsx'
import type { ProjectDialog } from './parts/project-dialogs.tsx'
import { FileTreeView } from './parts/file-tree-view.tsx'
import { Header, SaveSign } from './parts/header.tsx'
import { ProblemsPanel, StatusBar, TabStrip } from './parts/bars.tsx'
import { CodePanes, useCanSplit } from './parts/code-panes.tsx'
import { CommandPalette } from './parts/command-palette.tsx'
import type { Command } from './parts/command-palette.tsx'
import { SearchPanel } from './parts/search-panel.tsx'
import { TestsPanel, useTestRun } from './parts/tests-panel.tsx'
import { isTestFile } from './run/test-places.ts'
import { RunPanel } from './parts/run-panel.tsx'
import { withOpen, withOtherPane, withoutTab, withSide } from './project/file-tree.ts'
import { forkName, isUnsaved, newProject, useStore } from './project/project-state.ts'
import type { ProjectState } from './project/project-state.ts'
import { Runner } from './run/runner.ts'
import { codeShape } from './run/script-kind.ts'
import { limitProblem } from './project/file-changes.ts'
import type { SaveState } from './project/project-saver.ts'
import type { Session } from './session.ts'
import { defaultNetwork, useSettings } from './settings.ts'

interface ProjectViewProps {
  readonly session: Session
  readonly onBegin: (state: ProjectState) => void
  readonly onDiscard: () => void
}

/** Browsers may read the file late. */
const revokeMs = 60_000

type PanelName = 'problems' | 'run' | 'tests' | 'search'

export function ProjectView({ session, onBegin, onDiscard }: ProjectViewProps): ReactNode {
  const { store, saver, draftStore, code, language } = session
  const settings = useSettings()
  const account = useAccount()
  const showToast = useToast()
  const project = useStore(store)
  const save = useStore(saver)
  const { server, problems } = useStore(language)
  const draft = useStore(draftStore)
  const runner = useMemo(() => new Runner(store, settings), [store, settings])
  const [dialog, setDialog] = useState<ProjectDialog | undefined>(() =>
    account.is === 'signed-in' && isForRepository() ? { is: 'repository' } : undefined,
  )
  const [putOff, setPutOff] = useState<SaveState>()
  const [panel, setPanel] = useState<PanelName>('problems')
  const [isPanelOpen, setIsPanelOpen] = useState(true)
  const [isFilesOpen, setIsFilesOpen] = useState(false)
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const [cursor, setCursor] = useState({ line: 1, column: 1 })
  const isOnline = useIsOnline()
  const tooLarge = useMemo(
    () => (project.isReadOnly ? undefined : limitProblem(project.files, settings.limits)),
    [project.isReadOnly, project.files, settings.limits],
  )

  const run = useCallback(() => {
    setPanel('run')
    setIsPanelOpen(true)
    const { active } = store.state
    if (active !== undefined) runner.run(active)
  }, [store, runner])
  const testRun = useTestRun()
  const searchAll = useCallback(() => {
    setPanel('search')
    setIsPanelOpen(true)
  }, [])
  // Once a dialog is closed and a new pane is there.
  const focusSoon = useCallback(() => void requestAnimationFrame(() => code.view?.focus()), [code])
  const canSplit = useCanSplit()
  const openSide = useCallback(
    (path: string) => {
      store.change((state) => withSide(state, path))
      if (store.state.split === undefined) showToast('Open a second file to show two files side by side.')
      else focusSoon()
    },
    [store, focusSoon, showToast],
  )
  const toggleSplit = useCallback(() => {
    const { active, split } = store.state
    if (split !== undefined) store.change((state) => ({ ...state, split: undefined }))
    else if (active !== undefined && canSplit) openSide(active)
  }, [store, canSplit, openSide])
  const showCommands = useCallback(() => setIsPaletteOpen(true), [])
  const saveNow = useCallback(() => {
    if (account.is === 'signed-in') void saver.saveNow()
    else if (account.is !== 'signed-out') void draftStore.storeNow().then(() => showToast('Stored in this browser.'))
    else
      setDialog({
        is: 'sign-in',
        reason: 'Sign in to save this project. Your work stays in this browser and is saved after you sign in.',
      })
  }, [account.is, saver, draftStore, showToast])
  useEffect(() => {
    Object.assign(session.events, {
      run,
      save: saveNow,
      cursor: (line: number, column: number) => setCursor({ line, column }),
      message: (text: string) => showToast(text, 'bad'),
    })
  }, [session, run, saveNow, showToast])
  useEffect(() => () => runner.close(), [runner])

  const slug = project.saved?.slug
  useEffect(() => {
    if (slug !== undefined && location.pathname === '/') navigate(`/p/${slug}`, { isReplacing: true })
  }, [slug])
  // From here on a reload opens the draft of this tab, not the code of the link.
  useEffect(() => {
    if (draft.isStored && location.hash !== '') navigate(location.pathname, { isReplacing: true })
  }, [draft.isStored])
  useEffect(() => {
    if (isForRepository()) navigate(location.pathname, { isReplacing: true })
  }, [])
  useEffect(() => {
    document.title = `${project.name} – flowfarm editor`
  }, [project.name])
  useKeys({ run, save: saveNow, searchAll, showCommands, toggleSplit })
  useLeaveWarning(account.is === 'signed-in' ? isUnsaved(project) : draft.problem !== undefined && project.isTouched)
  const hasConflict = save.is === 'conflict' && save !== putOff
  const showDialog = (next: ProjectDialog | undefined): void => {
    // A dismissed conflict opens again from the status or at the next conflict.
    if (next?.is === 'conflict') setPutOff(undefined)
    else if (hasConflict) setPutOff(save)
    setDialog(next?.is === 'conflict' ? undefined : next)
  }

  const open = (path: string): void => {
    store.change((state) => withOpen(state, path))
    setIsFilesOpen(false)
  }
  const goToOtherPane = (): void => {
    store.change(withOtherPane)
    focusSoon()
  }
  const goTo = (path: string, line: number, column: number): void => {
    open(path)
    code.goTo(line, column)
  }
  const begin = (): void => onBegin({ ...newProject(defaultNetwork(settings)) })
  const fork = async (): Promise<void> => {
    const { saved } = store.state
    if (account.is === 'signed-in' && saved !== undefined) {
      try {
        const to = await account.projects.fork(saved.slug)
        navigate(`/p/${to}`)
        showToast('Project forked.')
      } catch (error) {
        showToast(`Could not fork the project: ${problemText(error)}`, 'bad')
      }
      return
    }
    onBegin({
      ...store.state,
      name: forkName(store.state.name),
      isPublic: false,
      isReadOnly: false,
      saved: undefined,
      isTouched: true,
      ...(saved === undefined ? {} : { forkedFrom: { slug: saved.slug, name: saved.name } }),
    })
    showToast('This is your own copy, stored in this browser. Sign in to save it.')
  }
  const showSaved = (next: 'share' | 'repository', reason: string): void => {
    if (account.is !== 'signed-in') setDialog({ is: 'sign-in', reason })
    else {
      store.change((state) => ({ ...state, isTouched: true }))
      void saver.saveNow()
      setDialog({ is: next })
    }
  }
  const share = (): void => showSaved('share', 'Sign in to save this project and share its link.')
  const showRepository = (): void =>
    showSaved('repository', 'Sign in to save this project and connect it to a repository.')

  const activeCode = project.active === undefined ? undefined : project.files.get(project.active)
  const verb = useMemo(() => {
    const kind = activeCode === undefined ? 'other' : codeShape(activeCode).kind
    return kind === 'transaction' ? 'Send' : kind === 'contract' ? 'Deploy' : 'Run'
  }, [activeCode])
  const { active } = project
  const runTests = (only?: string): void => {
    setPanel('tests')
    setIsPanelOpen(true)
    const hasTests = [...project.files.keys()].some(isTestFile)
    if (settings.tests.is_on && account.is === 'signed-in' && hasTests) testRun.run(project.files, only)
  }
  const exportZip = async (): Promise<void> => {
    const { zipFiles } = await import('./project/zip.ts')
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([zipFiles(project.files)], { type: 'application/zip' }))
    link.download = `${project.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'project'}.zip`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), revokeMs)
  }
  const commands: readonly Command[] = [
    { name: verb === 'Run' ? 'Run the script' : `${verb} this file`, keys: 'Ctrl Enter', act: run },
    { name: 'Run the tests', act: () => runTests() },
    ...(active !== undefined && isTestFile(active)
      ? [{ name: 'Run the tests of this file', act: () => runTests(active) }]
      : []),
    { name: 'Search in all files', keys: 'Ctrl Shift F', act: searchAll },
    { name: 'Find and replace in this file', keys: 'Ctrl F', act: () => code.find() },
    ...(project.isReadOnly
      ? []
      : [
          { name: 'Save the project', keys: 'Ctrl S', act: saveNow },
          ...(active?.endsWith('.cdc') === true ? [{ name: 'Indent this file', act: () => code.indent() }] : []),
          { name: 'New file', act: () => setDialog({ is: 'new', kind: 'file', folder: '' }) },
          { name: 'New folder', act: () => setDialog({ is: 'new', kind: 'folder', folder: '' }) },
          { name: 'Add files from a template', act: () => setDialog({ is: 'templates' }) },
          { name: 'Import a ZIP archive', act: () => setDialog({ is: 'import' }) },
          { name: 'Rename the project', act: () => setDialog({ is: 'project-name' }) },
          { name: 'Share the project', act: share },
        ]),
    ...(canSplit
      ? [
          {
            name: project.split === undefined ? 'Open this file to the side' : 'Close the split view',
            keys: 'Ctrl \\',
            act: toggleSplit,
          },
        ]
      : []),
    ...(canSplit && project.split !== undefined ? [{ name: 'Go to the other pane', act: goToOtherPane }] : []),
    { name: 'Export as a ZIP archive', act: () => void exportZip() },
    { name: 'New project', act: begin },
    ...(account.is === 'signed-in' ? [{ name: 'Your projects', act: () => setDialog({ is: 'projects' }) }] : []),
    { name: 'Show problems', act: () => (setPanel('problems'), setIsPanelOpen(true)) },
    { name: isPanelOpen ? 'Hide the panel' : 'Show the panel', act: () => setIsPanelOpen(!isPanelOpen) },
  ]
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return (
    <div className="project-view">
      <a className="skip-link" href="#code">
        Skip to code
      </a>
      <Header
        project={project}
        isFilesOpen={isFilesOpen}
        onFiles={() => setIsFilesOpen(!isFilesOpen)}
        onName={() => setDialog({ is: 'project-name' })}
        onSignIn={() => setDialog({ is: 'sign-in', reason: 'Sign in to save and share your projects.' })}
        onProjects={() => setDialog({ is: 'projects' })}
        onNew={begin}
        onTemplates={() => setDialog({ is: 'templates' })}
        onShare={share}
        onFork={() => void fork()}
        onCommands={showCommands}
        onRepository={settings.github.is_on ? showRepository : undefined}
        saveSign={
          <SaveSign
            save={save}
            isTouched={project.isTouched}
            draft={draft}
            onConflict={() => showDialog({ is: 'conflict' })}
            onRetry={saveNow}
          />
        }
      />
      <Notice
        isOnline={isOnline}
        isFailing={save.is === 'failed' && save.willRetry}
        isReadOnly={project.isReadOnly}
        tooLarge={tooLarge}
        onFork={() => void fork()}
      />
      <div className="project-view-body">
        <button
          type="button"
          className="drawer-back"
          aria-label="Close files"
          tabIndex={isFilesOpen ? 0 : -1}
          hidden={!isFilesOpen}
          onClick={() => setIsFilesOpen(false)}
        />
        <div className={`drawer${isFilesOpen ? ' open' : ''}`}>
          <FileTreeView
            project={project}
            problems={problems}
            onOpen={open}
            onNew={(kind, folder) => setDialog({ is: 'new', kind, folder })}
            onRename={(path, kind) => setDialog({ is: 'rename', path, kind })}
            onDelete={(path, kind) => setDialog({ is: 'delete', path, kind })}
          />
        </div>
        <main id="code" className="project-view-main" tabIndex={-1}>
          <div className="tab-row">
            <TabStrip
              project={project}
              onOpen={open}
              onClose={(...paths) => store.change((state) => paths.reduce(withoutTab, state))}
              onOpenSide={canSplit ? openSide : undefined}
            />
            {canSplit && (
              <Button
                look="plain"
                isSmall
                isIcon
                aria-label="Split view"
                aria-pressed={project.split !== undefined}
                title="Ctrl+\, or ⌘ \"
                disabled={project.active === undefined}
                onClick={toggleSplit}
              >
                <Icon name="columns" size={14} />
              </Button>
            )}
            <Button
              look="strong"
              isSmall
              disabled={project.active === undefined}
              title="Ctrl+Enter, or ⌘ Enter"
              onClick={run}
            >
              <Icon name={verb === 'Run' ? 'play' : 'send'} size={14} /> {verb}
            </Button>
          </div>
          <CodePanes
            code={code}
            project={project}
            onClosePane={(path) =>
              store.change((state) => ({ ...(state.active === path ? withOtherPane(state) : state), split: undefined }))
            }
          />
          {project.active === undefined && (
            <div className="no-file">
              <p className="soft">No file is open. Select a file on the left, or add one from a template.</p>
            </div>
          )}
          <section className={`panel-bottom${isPanelOpen ? '' : ' closed'}`} aria-label="Problems and results">
            <div className="panel-head">
              <Tabs
                label="Problems and results"
                panelId="bottom"
                selected={panel}
                tabs={[
                  {
                    name: 'problems',
                    label: (
                      <>
                        Problems{' '}
                        {problems.length > 0 && <Badge tone={errors > 0 ? 'bad' : 'warn'}>{problems.length}</Badge>}
                      </>
                    ),
                  },
                  { name: 'run', label: 'Run' },
                  { name: 'tests', label: 'Tests' },
                  { name: 'search', label: 'Search' },
                ]}
                onSelect={(name) => {
                  setPanel(name)
                  setIsPanelOpen(true)
                }}
              />
              <Button
                look="plain"
                isSmall
                isIcon
                aria-label={isPanelOpen ? 'Hide panel' : 'Show panel'}
                aria-expanded={isPanelOpen}
                onClick={() => setIsPanelOpen(!isPanelOpen)}
              >
                <span className="turned">
                  <Icon name="chevron" size={14} />
                </span>
              </Button>
            </div>
            <div
              id="bottom"
              role="tabpanel"
              aria-labelledby={tabId('bottom', panel)}
              className="panel-body"
              hidden={!isPanelOpen}
              tabIndex={0}
            >
              {panel === 'problems' ? (
                <ProblemsPanel
                  problems={problems}
                  server={server}
                  onGo={({ path, line, column }) => goTo(path, line, column)}
                />
              ) : panel === 'tests' ? (
                <TestsPanel
                  files={project.files}
                  testRun={testRun}
                  onSignIn={() => setDialog({ is: 'sign-in', reason: 'Sign in to run tests.' })}
                  onGo={goTo}
                />
              ) : panel === 'search' ? (
                <SearchPanel files={project.files} onGo={goTo} />
              ) : (
                <RunPanel
                  project={project}
                  runner={runner}
                  onRun={run}
                  onGo={(line, column) => code.goTo(line, column)}
                />
              )}
            </div>
          </section>
        </main>
      </div>
      <StatusBar
        project={project}
        server={server}
        cursor={cursor}
        onNetwork={(network) => store.change((state) => ({ ...state, network, isTouched: true }))}
      />
      {isPaletteOpen && (
        <CommandPalette
          commands={commands}
          files={[...project.files.keys()]}
          onOpen={open}
          onOpenSide={canSplit ? openSide : undefined}
          onClose={() => setIsPaletteOpen(false)}
        />
      )}
      <ProjectDialogs
        session={session}
        project={project}
        save={save}
        dialog={dialog ?? (hasConflict ? { is: 'conflict' } : undefined)}
        onDialog={showDialog}
        onOpen={open}
        onNew={begin}
        onDiscard={onDiscard}
      />
    </div>
  )
}

function isForRepository(): boolean {
  return new URLSearchParams(location.search).has('repository')
}

interface NoticeProps {
  readonly isOnline: boolean
  readonly isFailing: boolean
  readonly isReadOnly: boolean
  readonly tooLarge: string | undefined
  readonly onFork: () => void
}

function Notice({ isOnline, isFailing, isReadOnly, tooLarge, onFork }: NoticeProps): ReactNode {
  if (!isOnline || isFailing) {
    return (
      <div className="banner" role="status">
        <Icon name="alert" />
        <p>
          {isOnline ? 'The server is not reachable.' : 'You are offline.'} Your work is stored in this browser and is
          saved automatically when the connection is back.
        </p>
      </div>
    )
  }
  if (tooLarge !== undefined) {
    return (
      <div className="banner" role="status">
        <Icon name="alert" />
        <p>{tooLarge} Until then it is stored in this browser only.</p>
      </div>
    )
  }
  if (!isReadOnly) return null
  return (
    <div className="banner calm" role="status">
      <Icon name="book" />
      <p>This project belongs to another user. You can read it and run its scripts. Fork it to change it.</p>
      <Button isSmall onClick={onFork}>
        Fork
      </Button>
    </div>
  )
}

interface KeyActions {
  readonly run: () => void
  readonly save: () => void
  readonly searchAll: () => void
  readonly showCommands: () => void
  readonly toggleSplit: () => void
}

function useKeys({ run, save, searchAll, showCommands, toggleSplit }: KeyActions): void {
  useEffect(() => {
    const actionOf = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): (() => void) | undefined => {
      // Firefox opens a private window with Ctrl+Shift+P.
      if (key === 'F1') return showCommands
      if (!ctrlKey && !metaKey) return undefined
      if (shiftKey) return { p: showCommands, f: searchAll }[key.toLowerCase()]
      return { Enter: run, s: save, S: save, '\\': toggleSplit }[key]
    }
    const press = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
      const act = actionOf(event)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [run, save, searchAll, showCommands, toggleSplit])
}

function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isOn])
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine)
}
