import type { ReactNode } from 'react'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { networkSettings, useSettings } from '../settings.ts'
import type { ProjectState } from '../project/project-state.ts'
import { useStore } from '../project/project-state.ts'
import { codeShape } from '../run/script-kind.ts'
import type { Runner } from '../run/runner.ts'
import { ArgumentFields, ComputeLimitField } from './argument-fields.tsx'
import { DeployPanel } from './deploy-panel.tsx'
import { ResultRegion } from './run-result.tsx'
import { SignerLine } from './signer-line.tsx'

interface RunPanelProps {
  readonly project: ProjectState
  readonly runner: Runner
  readonly onRun: () => void
  readonly onGo: (line: number, column: number) => void
}

export function RunPanel({ project, runner, onRun, onGo }: RunPanelProps): ReactNode {
  const { running, signers } = useStore(runner)
  const settings = useSettings()
  const path = project.active
  const code = path === undefined ? undefined : project.files.get(path)
  if (path === undefined || code === undefined)
    return <p className="panel-note soft">Open a script or a transaction to run it, or a contract to deploy it.</p>
  const shape = codeShape(code)
  if (shape.kind === 'contract') return <DeployPanel {...{ project, runner, path, code, shape, onGo }} />
  if (shape.kind === 'other')
    return (
      <p className="panel-note soft">
        This file has no function main, no transaction and no contract: there is nothing to run.
      </p>
    )
  const isTransaction = shape.kind === 'transaction'
  if (isTransaction && shape.signers > 1)
    return (
      <p className="panel-note soft">
        This transaction needs {shape.signers} accounts in prepare. The editor sends transactions of one account.
      </p>
    )
  const isRunning = running === path
  const hasNode = networkSettings(settings, project.network) !== undefined
  const signer = signers.get(project.network)
  return (
    <div className="run">
      <Form className="run-form" onSubmit={onRun}>
        {isTransaction && <SignerLine runner={runner} network={project.network} signer={signer} />}
        <ArgumentFields runner={runner} path={path} parameters={shape.parameters} />
        {shape.parameters.length === 0 && <p className="soft">This {shape.kind} takes no arguments.</p>}
        {isTransaction && <ComputeLimitField runner={runner} />}
        <div className="button-row">
          {isRunning ? (
            <Button type="button" onClick={() => runner.stop()}>
              <Icon name="stop" /> Stop
            </Button>
          ) : (
            <Button type="submit" look="strong" disabled={isTransaction && signer === undefined}>
              <Icon name={isTransaction ? 'send' : 'play'} /> {isTransaction ? 'Send' : 'Run'}
            </Button>
          )}
          <span className="soft small">
            {hasNode ? `on ${networkNames[project.network]}` : 'No access node for this network'}
          </span>
        </div>
      </Form>
      <ResultRegion
        runner={runner}
        path={path}
        onGo={onGo}
        idle={
          <p className="soft">
            {isTransaction
              ? 'The result appears here. You review and sign the transaction in the wallet.'
              : 'The result appears here. Press Ctrl+Enter or ⌘ Enter in the editor to run the script.'}
          </p>
        }
      />
    </div>
  )
}
