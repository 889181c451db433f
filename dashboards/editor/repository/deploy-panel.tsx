import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { useAction } from '../../auth/action.tsx'
import { Ago } from '../../kit/time.tsx'
import { Badge, Button, FieldError } from '../../kit/controls.tsx'
import type { Tone } from '../../kit/controls.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import type { SavedProject } from '../project/project-state.ts'
import { useSettings } from '../settings.ts'
import type { Connection, Environment, Deployment } from '../answers.gen.ts'
import { DeployChannel } from '../language/deploy-channel.ts'
import { Environments } from './environments.tsx'

export interface DeployPanelProps {
  readonly saved: SavedProject
  readonly connection: Connection
  readonly onChanged: () => void
}

export function DeployPanel({ saved: { id }, connection, onChanged }: DeployPanelProps): ReactNode {
  const { repositories } = useAccount()
  const { lsp_url: url } = useSettings()
  const client = useQueryClient()
  const environments = useQuery({
    queryKey: ['repository', id, 'environments'],
    queryFn: () => repositories.environments(id),
    staleTime: 0,
  })
  const deployments = useQuery({
    queryKey: ['repository', id, 'deployments'],
    queryFn: () => repositories.deployments(id),
    staleTime: 0,
  })
  useEffect(() => {
    const channel = new DeployChannel({
      url,
      projectId: id,
      token: () => repositories.token(),
      onNews: () => void client.invalidateQueries({ queryKey: ['repository', id, 'deployments'] }),
    })
    return () => channel.close()
  }, [url, id, repositories, client])
  const error = environments.error ?? deployments.error
  if (environments.data === undefined || deployments.data === undefined) {
    if (error === null) return <Loading label="Loading deployments…" rows={3} />
    return (
      <ErrorState
        title="Could not load deployments"
        detail={problemText(error)}
        onRetry={() => void (environments.refetch(), deployments.refetch())}
      />
    )
  }
  return (
    <>
      <Environments
        projectId={id}
        connection={connection}
        environments={environments.data}
        onChanged={() => void environments.refetch()}
      />
      <Workflow connection={connection} environments={environments.data} onChanged={onChanged} />
      <Deployments all={deployments.data} />
    </>
  )
}

function Workflow({
  connection,
  environments,
  onChanged,
}: {
  readonly connection: Connection
  readonly environments: readonly Environment[]
  readonly onChanged: () => void
}): ReactNode {
  const { repositories } = useAccount()
  const showToast = useToast()
  const { isBusy, problem, run } = useAction()
  const { project_id: id, workflow_path: path, branch } = connection
  const write = (): void =>
    void run(async () => {
      await repositories.writeWorkflow(id)
      showToast('Workflow committed. Pushes are now deployed.')
      onChanged()
    })
  const deploy = (): void =>
    void run(async () => {
      const target = environments[0]?.branch ?? branch
      await repositories.deploy(id, target)
      showToast(`Deployment of ${target} requested.`)
    })
  return (
    <section className="stack-small" aria-label="Workflow">
      <h3>Workflow</h3>
      <p className="soft small">
        {path === null ? (
          'The repository has no deployment workflow yet.'
        ) : (
          <>
            <code>{path}</code> deploys pushes. Update it after you change environments.
          </>
        )}
      </p>
      <div className="button-row">
        <Button isSmall look={path === null ? 'strong' : 'plain'} disabled={isBusy} onClick={write}>
          {path === null ? 'Create workflow' : 'Update workflow'}
        </Button>
        {path !== null && (
          <Button isSmall disabled={isBusy} onClick={deploy}>
            Deploy now
          </Button>
        )}
      </div>
      <FieldError>{problem}</FieldError>
    </section>
  )
}

function Deployments({ all }: { readonly all: readonly Deployment[] }): ReactNode {
  return (
    <section className="stack-small" aria-label="Deployments">
      <h3>Deployments</h3>
      {all.length === 0 ? (
        <p className="soft small">No deployments yet. Deployments appear here automatically.</p>
      ) : (
        <ul className="deployments">
          {all.map((one) => {
            const [text, tone] = wordOf(one)
            return (
              <li key={one.id}>
                <Badge tone={tone}>{text}</Badge>
                <span className="deployment-what">
                  <code>{one.commit_sha.slice(0, 7)}</code> {one.message ?? one.branch}
                </span>
                <span className="soft small">
                  {one.environment ?? one.branch}, <Ago at={one.created_at} />
                </span>
                {one.logs_url !== null && (
                  <a className="small" href={one.logs_url} target="_blank" rel="noreferrer">
                    Logs
                  </a>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function wordOf({ status, conclusion }: Deployment): readonly [text: string, tone: Tone] {
  if (conclusion === null) return status === 'queued' ? ['waits', 'neutral'] : ['runs', 'busy']
  if (conclusion === 'success') return ['deployed', 'good']
  return conclusion === 'cancelled' || conclusion === 'skipped' ? [conclusion, 'warn'] : ['failed', 'bad']
}
