import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { QueryState, useAction } from '../../auth/action.tsx'
import { Button, FieldError, Form, Icon } from '../../kit/controls.tsx'
import { useAccount } from '../account.tsx'
import type { Network } from '../types.ts'
import type { SavedProject } from '../project/project-state.ts'
import type { DraftStore } from '../project/drafts.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
import type { Installation, Repository } from '../answers.gen.ts'
import { rememberRedirect } from './repository-client.ts'

export interface ConnectFormProps {
  readonly saved: SavedProject
  readonly draftStore: DraftStore
  readonly onConnected: () => void
}

export function ConnectForm({ saved, draftStore, onConnected }: ConnectFormProps): ReactNode {
  const { repositories, userId } = useAccount()
  const {
    data: installations,
    error,
    refetch,
  } = useQuery({ queryKey: ['installations', userId], queryFn: () => repositories.installations(), staleTime: 0 })
  const [chosen, setChosen] = useState<number>()
  const { isBusy, problem, run } = useAction()
  const go = (is: 'new' | 'known'): void =>
    void run(async () => {
      const { url, authorize_url: authorizeUrl } = await repositories.begin(saved.id)
      await draftStore.storeNow()
      rememberRedirect(saved.id, saved.slug)
      location.assign(is === 'new' ? url : authorizeUrl)
    })
  if (installations === undefined) return <QueryState what="your repositories" error={error} refetch={refetch} />
  const usable = installations.filter(({ is_suspended: isSuspended }) => !isSuspended)
  const installation = usable.find(({ installation_id: id }) => id === chosen) ?? usable[0]
  return (
    <>
      <p className="soft">
        Commit this project to a GitHub repository, load pushed changes, and deploy it with a workflow.
      </p>
      {installation !== undefined && (
        <ChooseRepository
          key={installation.installation_id}
          saved={saved}
          installations={usable}
          installation={installation}
          onInstallation={setChosen}
          onConnected={onConnected}
        />
      )}
      <div className="button-row">
        <Button look={installation === undefined ? 'strong' : 'plain'} disabled={isBusy} onClick={() => go('new')}>
          <Icon name="external" />{' '}
          {installation === undefined ? 'Choose repositories on GitHub' : 'Choose other repositories on GitHub'}
        </Button>
        <Button look="plain" disabled={isBusy} onClick={() => go('known')}>
          {installation === undefined ? 'Use existing access' : 'Refresh access'}
        </Button>
      </div>
      <FieldError>{problem}</FieldError>
    </>
  )
}

interface ChooseRepositoryProps extends Pick<ConnectFormProps, 'saved' | 'onConnected'> {
  readonly installations: readonly Installation[]
  readonly installation: Installation
  readonly onInstallation: (id: number) => void
}

function ChooseRepository({
  saved,
  installations,
  installation,
  onInstallation,
  onConnected,
}: ChooseRepositoryProps): ReactNode {
  const { repositories } = useAccount()
  const { networks } = useSettings()
  const { installation_id: id } = installation
  const {
    data: all,
    error,
    refetch,
  } = useQuery({ queryKey: ['repositories', id], queryFn: () => repositories.repositories(id), staleTime: 0 })
  const [name, setName] = useState<string>()
  const [branch, setBranch] = useState<string>()
  const [path, setPath] = useState('')
  const [network, setNetwork] = useState<Network>(saved.network)
  const { isBusy, problem, run } = useAction()
  if (all === undefined)
    return <QueryState what={`the repositories of ${installation.account}`} rows={2} error={error} refetch={refetch} />
  const repository: Repository | undefined = all.find(({ full_name: full }) => full === name) ?? all[0]
  const wantedBranch = branch ?? repository?.default_branch ?? 'main'
  const connect = (): void => {
    if (repository === undefined) return
    void run(async () => {
      await repositories.connect({
        project_id: saved.id,
        installation_id: id,
        owner: repository.owner,
        repo: repository.name,
        path: path.trim().replaceAll(/^\/+|\/+$/g, ''),
        branch: wantedBranch.trim(),
        network,
      })
      onConnected()
    })
  }
  return (
    <Form className="stack" onSubmit={connect}>
      <div className="field-pair">
        <label className="field">
          <span>GitHub account</span>
          <select className="input" value={id} onChange={({ target }) => onInstallation(Number(target.value))}>
            {installations.map((one) => (
              <option key={one.installation_id} value={one.installation_id}>
                {one.account}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Repository</span>
          <select
            className="input"
            value={repository?.full_name ?? ''}
            disabled={all.length === 0}
            onChange={({ target }) => (setName(target.value), setBranch(undefined))}
          >
            {all.map((one) => (
              <option key={one.id} value={one.full_name}>
                {one.name}
                {one.private ? ' (private)' : ''}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Branch</span>
          <input
            className="input mono"
            value={wantedBranch}
            spellCheck={false}
            autoCapitalize="off"
            required
            onChange={({ target }) => setBranch(target.value)}
          />
        </label>
        <label className="field">
          <span>Folder (empty: the whole repository)</span>
          <input
            className="input mono"
            value={path}
            spellCheck={false}
            autoCapitalize="off"
            placeholder="cadence"
            onChange={({ target }) => setPath(target.value)}
          />
        </label>
        <label className="field">
          <span>Deployment network</span>
          <select className="input" value={network} onChange={({ target }) => setNetwork(target.value as Network)}>
            {networks.map((one) => (
              <option key={one.network} value={one.network}>
                {networkNames[one.network]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {all.length === 0 && (
        <p className="soft">
          {installation.account} has no repository that this editor may use: choose some at GitHub.
        </p>
      )}
      <FieldError>{problem}</FieldError>
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || repository === undefined}>
          Connect
        </Button>
      </div>
    </Form>
  )
}
