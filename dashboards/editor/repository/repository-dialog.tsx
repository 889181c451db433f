import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { useAccount } from '../account.tsx'
import { Modal } from '../../kit/dialog.tsx'
import type { SavedProject } from '../project/project-state.ts'
import type { SaveState } from '../project/project-saver.ts'
import type { Session } from '../session.ts'
import { useStore } from '../project/project-state.ts'
import { ConnectForm } from './connect-form.tsx'
import { QueryState, useAction } from '../../auth/action.tsx'
import { Badge, Button, FieldError, Form, Icon } from '../../kit/controls.tsx'
import { Tabs, tabId } from '../../kit/tabs.tsx'
import { useToast } from '../../kit/toast.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
import { blobId, compareBranch, readBranch } from './branch.ts'
import { ChosenFiles, LoadPanel } from './load-panel.tsx'
import type { Differences } from './branch.ts'
import type { Connection } from '../answers.gen.ts'
import type { FileChange } from '../types.ts'
import { DeployPanel } from './deploy-panel.tsx'

interface RepositoryDialogProps {
  readonly session: Session
  readonly save: SaveState
  readonly onClose: () => void
}

export function RepositoryDialog({ session, save, onClose }: RepositoryDialogProps): ReactNode {
  const { saved } = useStore(session.store)
  return (
    <Modal title="Repository" isWide onClose={onClose}>
      <div className="stack modal-body">
        {saved === undefined ? (
          <p className="soft" role="status">
            {save.is === 'failed'
              ? `Not saved: ${save.reason} Save the project to connect a repository.`
              : 'Saving the project…'}
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
  const refresh = (): void => void client.invalidateQueries({ queryKey: ['repository', saved.id] })
  if (connection === undefined) return <QueryState what="the repository" error={error} refetch={refetch} />
  return connection === null ? (
    <ConnectForm saved={saved} draftStore={session.draftStore} onConnected={refresh} />
  ) : (
    <Connected session={session} saved={saved} connection={connection} onChanged={refresh} />
  )
}

interface ConnectedProps {
  readonly session: Session
  readonly saved: SavedProject
  readonly connection: Connection
  readonly onChanged: () => void
}

type PanelName = 'commit' | 'load' | 'deploy'

function Connected({ session, saved, connection, onChanged }: ConnectedProps): ReactNode {
  const { repositories } = useAccount()
  const [panel, setPanel] = useState<PanelName>('commit')
  const {
    data: differences,
    error,
    refetch,
    isFetching,
  } = useQuery({
    queryKey: ['repository', saved.id, 'differences'],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async () => {
      const { files } = session.store.state
      const branch = await readBranch(repositories, connection)
      return { branch, files, all: await compareBranch(files, branch.files, blobId) }
    },
  })
  return (
    <>
      <Head saved={saved} connection={connection} onChanged={onChanged} />
      <div className="tabs-line">
        <Tabs
          label="Repository"
          panelId="repository"
          selected={panel}
          onSelect={setPanel}
          tabs={[
            { name: 'commit', label: 'Commit' },
            { name: 'load', label: 'Load' },
            { name: 'deploy', label: 'Deploy' },
          ]}
        />
        {panel !== 'deploy' && (
          <Button look="plain" isSmall disabled={isFetching} onClick={() => void refetch()}>
            <Icon name="retry" size={14} /> Refresh
          </Button>
        )}
      </div>
      <div id="repository" role="tabpanel" aria-labelledby={tabId('repository', panel)} className="stack" tabIndex={0}>
        {panel === 'deploy' && <DeployPanel saved={saved} connection={connection} onChanged={onChanged} />}
        {panel !== 'deploy' &&
          differences === undefined &&
          (error === null ? (
            <Loading label="Comparing with the repository…" rows={3} />
          ) : (
            <ErrorState
              title="Could not read the repository"
              detail={problemText(error)}
              onRetry={() => void refetch()}
            />
          ))}
        {panel === 'commit' && differences !== undefined && (
          <CommitPanel
            key={differences.branch.head}
            connection={connection}
            name={saved.name}
            differences={differences}
            onChanged={onChanged}
          />
        )}
        {panel === 'load' && differences !== undefined && (
          <LoadPanel
            key={differences.branch.head}
            connection={connection}
            store={session.store}
            differences={differences}
            onChanged={onChanged}
          />
        )}
      </div>
    </>
  )
}

const offReasons: Readonly<Record<string, string>> = {
  'installation-deleted': 'The GitHub App was uninstalled.',
  'installation-suspended': 'The GitHub App is suspended.',
  'repository-removed': 'The GitHub App lost access to the repository.',
  'repository-deleted': 'The repository was deleted.',
}

function Head({
  saved,
  connection: { owner, repo, branch, path, network, is_on: isOn, off_reason: reason },
  onChanged,
}: Pick<ConnectedProps, 'saved' | 'connection' | 'onChanged'>): ReactNode {
  const { repositories } = useAccount()
  const { github } = useSettings()
  const [isConfirming, setIsConfirming] = useState(false)
  const { isBusy, problem, run } = useAction()
  const origin =
    github?.install_url === undefined || github.install_url === null ? undefined : new URL(github.install_url).origin
  const title = `${owner}/${repo}`
  return (
    <>
      <div className="repository-head">
        <div>
          {origin === undefined ? (
            <b>{title}</b>
          ) : (
            <a href={`${origin}/${owner}/${repo}`} target="_blank" rel="noreferrer">
              <b>{title}</b>
            </a>
          )}
          <p className="soft small">
            Branch <code>{branch}</code>
            {path === '' ? (
              ''
            ) : (
              <>
                , folder <code>{path}</code>
              </>
            )}
            , {networkNames[network]}
          </p>
        </div>
        {!isOn && <Badge tone="bad">{offReasons[reason ?? ''] ?? 'Disconnected.'}</Badge>}
        {isConfirming ? (
          <div className="button-row">
            <Button
              look="danger"
              isSmall
              disabled={isBusy}
              onClick={() => void run(async () => (await repositories.disconnect(saved.id), onChanged()))}
            >
              Disconnect
            </Button>
            <Button isSmall onClick={() => setIsConfirming(false)}>
              Cancel
            </Button>
          </div>
        ) : (
          <Button look="plain" isSmall onClick={() => setIsConfirming(true)}>
            Disconnect
          </Button>
        )}
      </div>
      {isConfirming && (
        <p className="soft small">
          This deletes the environments and the deployment list here. The repository and its secrets are not changed.
        </p>
      )}
      <FieldError>{problem}</FieldError>
    </>
  )
}

interface CommitPanelProps {
  readonly connection: Connection
  readonly name: string
  readonly differences: Differences
  readonly onChanged: () => void
}

function CommitPanel({
  connection,
  name,
  differences: { branch, files, all },
  onChanged,
}: CommitPanelProps): ReactNode {
  const { repositories } = useAccount()
  const showToast = useToast()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(all.filter(({ is }) => is !== 'there').map(({ path }) => path)),
  )
  const [message, setMessage] = useState(`Update ${name}`)
  const { isBusy, problem, run } = useAction()
  if (all.length === 0) return <p className="soft">No changes: the branch is up to date with the project.</p>
  const commit = (): void =>
    void run(async () => {
      const changes = all
        .filter(({ path }) => chosen.has(path))
        .map(({ path, is }): FileChange =>
          is === 'there' ? { path, action: 'delete' } : { path, content: files.get(path) ?? '', action: 'put' },
        )
      const { sha } = await repositories.commit(connection.project_id, {
        message: message.trim(),
        files: changes,
        head: branch.head,
      })
      showToast(`Committed to ${connection.branch} as ${sha.slice(0, 7)}.`)
      onChanged()
    })
  return (
    <Form className="stack" onSubmit={commit}>
      {branch.head === null && (
        <p className="soft">The branch {connection.branch} does not exist yet. This commit creates it.</p>
      )}
      <ChosenFiles
        title="Files to commit"
        files={all}
        chosen={chosen}
        onChoose={setChosen}
        word={({ is }, isChosen) =>
          is === 'here'
            ? ['new', 'good']
            : is === 'both'
              ? ['changed', 'busy']
              : isChosen
                ? ['delete in repository', 'bad']
                : ['keep in repository', 'neutral']
        }
      />
      <label className="field">
        <span>Message</span>
        <input
          className="input"
          value={message}
          maxLength={5000}
          required
          onChange={({ target }) => setMessage(target.value)}
        />
      </label>
      <FieldError>{problem}</FieldError>
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || chosen.size === 0 || message.trim() === ''}>
          Commit to {connection.branch}
        </Button>
      </div>
    </Form>
  )
}
