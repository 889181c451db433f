import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/problem.ts'
import { useAction } from '../../auth/use-action.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Failure, Loading } from '../../kit/state.tsx'
import { Tabs, tabId } from '../../kit/tabs.tsx'
import { useAccount } from '../account.tsx'
import type { SavedProject } from '../project/project-state.ts'
import type { Session } from '../session.ts'
import { networkNames, useSettings } from '../settings.ts'
import { blobId } from './blob-id.ts'
import { CommitPanel } from './commit-panel.tsx'
import { compareBranch } from './compare-branch.ts'
import type { Connection } from './contract.ts'
import { DeployPanel } from './deploy-panel.tsx'
import { LoadPanel } from './load-panel.tsx'
import { readBranch } from './read-branch.ts'

export interface ConnectedProps {
  readonly session: Session
  readonly saved: SavedProject
  readonly connection: Connection
  /** The connection, the repository or the project is another one now. */
  readonly onChanged: () => void
}

type PanelName = 'commit' | 'load' | 'deploy'

/** A project with its repository: what differs can be committed or loaded, and what is pushed is deployed. */
export function Connected({ session, saved, connection, onChanged }: ConnectedProps): ReactNode {
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
            <Icon name="again" size={14} /> Look again
          </Button>
        )}
      </div>
      <div id="repository" role="tabpanel" aria-labelledby={tabId('repository', panel)} className="stack" tabIndex={0}>
        {panel === 'deploy' && <DeployPanel saved={saved} connection={connection} onChanged={onChanged} />}
        {panel !== 'deploy' &&
          differences === undefined &&
          (error === null ? (
            <Loading label="The project is compared with the repository" rows={3} />
          ) : (
            <Failure title="The repository cannot be read" detail={problemText(error)} onRetry={() => void refetch()} />
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
  'installation-deleted': 'The App is not installed any more.',
  'installation-suspended': 'The installation of the App is suspended.',
  'repository-removed': 'The App may not use the repository any more.',
  'repository-deleted': 'The repository was deleted.',
}

function Head({
  saved,
  connection: { owner, repo, branch, path, network, is_on: isOn, off_reason: reason },
  onChanged,
}: Pick<ConnectedProps, 'saved' | 'connection' | 'onChanged'>): ReactNode {
  const { repositories } = useAccount()
  const { github } = useSettings()
  const [isAsked, setIsAsked] = useState(false)
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
        {!isOn && <Badge tone="bad">{offReasons[reason ?? ''] ?? 'It is off.'}</Badge>}
        {isAsked ? (
          <div className="button-row">
            <Button
              look="danger"
              isSmall
              disabled={isBusy}
              onClick={() => void run(async () => (await repositories.disconnect(saved.id), onChanged()))}
            >
              Disconnect
            </Button>
            <Button isSmall onClick={() => setIsAsked(false)}>
              Keep it
            </Button>
          </div>
        ) : (
          <Button look="plain" isSmall onClick={() => setIsAsked(true)}>
            Disconnect
          </Button>
        )}
      </div>
      {isAsked && (
        <p className="soft small">
          The repository stays as it is. Environments and the list of deployments go; secrets stay in the repository.
        </p>
      )}
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}
