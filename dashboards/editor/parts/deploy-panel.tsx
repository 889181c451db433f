import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { compareLines, lineHunks } from '../../kit/line-differences.ts'
import { networkNames } from '../../kit/network-names.ts'
import { ErrorState, Loading } from '../../kit/state.tsx'
import type { ProjectState } from '../project/project-state.ts'
import { useStore } from '../project/project-state.ts'
import { AccessNode } from '../run/access-node.ts'
import { updateProblems } from '../run/contract-update.ts'
import type { Runner } from '../run/runner.ts'
import type { codeShape } from '../run/script-kind.ts'
import { networkSettings, useSettings } from '../settings.ts'
import { ArgumentFields, ComputeLimitField } from './argument-fields.tsx'
import { ResultRegion } from './run-result.tsx'
import { SignerLine } from './signer-line.tsx'

interface DeployPanelProps {
  readonly project: ProjectState
  readonly runner: Runner
  readonly path: string
  readonly code: string
  readonly shape: Extract<ReturnType<typeof codeShape>, { readonly kind: 'contract' }>
  readonly onGo: (line: number, column: number) => void
}

/** Adds the contract to the connected account, or updates it after a comparison with the code there. */
export function DeployPanel({ project, runner, path, code, shape, onGo }: DeployPanelProps): ReactNode {
  const { signers, running, results } = useStore(runner)
  const settings = useSettings()
  const { network } = project
  const signer = signers.get(network)
  const apiUrl = networkSettings(settings, network)?.api_url
  const result = results.get(path)
  const sealed = result?.is === 'sent' && result.sent.status === 'Sealed' ? result.sent.id : undefined
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['deployed', network, signer?.address, shape.name, sealed],
    queryFn: async ({ signal }) => {
      const { contracts } = await new AccessNode(apiUrl ?? '').account(signer?.address ?? '', signal)
      return { code: contracts.get(shape.name) }
    },
    enabled: signer !== undefined && apiUrl !== undefined,
    staleTime: 0,
  })
  const resolved = useMemo(() => runner.resolve(code), [runner, code])
  const isUpdate = data?.code !== undefined
  const isSame = data?.code === resolved
  return (
    <div className="run">
      <Form className="run-form" onSubmit={() => runner.deploy(path, isUpdate ? 'update' : 'add')}>
        <SignerLine runner={runner} network={network} signer={signer} />
        {data !== undefined && !isUpdate && (
          <ArgumentFields runner={runner} path={path} parameters={shape.parameters} />
        )}
        <ComputeLimitField runner={runner} />
        <div className="button-row">
          {running === path ? (
            <Button type="button" onClick={() => runner.stop()}>
              <Icon name="stop" /> Stop
            </Button>
          ) : (
            <Button
              type="submit"
              look="strong"
              disabled={signer === undefined || data === undefined || isSame || shape.name === ''}
            >
              <Icon name="send" /> {isUpdate ? 'Update' : 'Deploy'} {shape.name}
            </Button>
          )}
          <span className="soft small">
            {apiUrl === undefined ? 'No access node for this network' : `on ${networkNames[network]}`}
          </span>
        </div>
      </Form>
      <ResultRegion
        runner={runner}
        path={path}
        onGo={onGo}
        isIdleKept
        idle={
          signer === undefined ? (
            <p className="soft">Connect an account to deploy the contract to it.</p>
          ) : error !== null ? (
            <ErrorState
              title="Could not load the account's contracts"
              detail={problemText(error)}
              onRetry={() => void refetch()}
            />
          ) : isPending ? (
            <Loading label="Loading the account's contracts…" rows={2} />
          ) : data.code === undefined ? (
            <p>
              {signer.address} has no contract {shape.name} yet.
              {shape.parameters.length > 0 && ' Enter the arguments of its init.'}
            </p>
          ) : isSame ? (
            <p>
              {signer.address} has this code of {shape.name}.
            </p>
          ) : (
            <Changes before={data.code} after={resolved} />
          )
        }
      />
    </div>
  )
}

const contextLines = 3

function Changes({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  const hunks = useMemo(() => {
    const lines = compareLines(before, after)
    return lines === undefined ? undefined : lineHunks(lines, contextLines)
  }, [before, after])
  const problems = useMemo(() => updateProblems(before, after), [before, after])
  return (
    <section className="stack-small" aria-label="Changes">
      <h3>Changes to the deployed contract</h3>
      {problems.length > 0 && (
        <div className="banner bad" role="alert">
          <Icon name="alert" />
          <div>
            <p>The chain refuses updates that do not fit stored data:</p>
            <ul className="plain-list">
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <p className="soft small">Stored data stays unchanged: init does not run again.</p>
      {hunks === undefined ? (
        <p>Too many lines differ to show the changes.</p>
      ) : (
        <pre className="diff" tabIndex={0} role="group" aria-label="Lines that differ">
          {hunks.map(({ lines, skipped }, at) => (
            <span key={at}>
              {skipped > 0 && (
                <span className="line soft">
                  … {skipped} unchanged lines{'\n'}
                </span>
              )}
              {lines.map((line, nth) => (
                <span key={nth} className={`line ${line.kind}`}>
                  {line.kind === 'new' ? '+ ' : line.kind === 'old' ? '− ' : '  '}
                  {line.text}
                  {'\n'}
                </span>
              ))}
            </span>
          ))}
        </pre>
      )}
    </section>
  )
}
